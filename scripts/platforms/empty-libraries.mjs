// Libraries with nothing in them, for linkers and build scripts that insist on seeing what only the real system has.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { cached } from "./cache.mjs";
import { runCommand } from "./command.mjs";

/** The folder of a libnode.dll: nothing is imported from it, but the build script of napi wants to see one. */
export function emptyLibNode() {
  return cached("empty-libnode", (folder) => {
    mkdirSync(folder, { recursive: true });
    const build = ["-shared", "-o", path.join(folder, "libnode.dll"), "-x", "c", "-"];
    runCommand("x86_64-w64-mingw32-gcc", build, { input: "void nothing(void) {}\n", stdio: "pipe" });
  });
}

/** An SDK of macOS with the frameworks that sysinfo links; what it calls in them is looked up when the addon is loaded. */
export function emptyMacosSdk() {
  return cached("empty-macos-sdk", (folder) => {
    for (const name of ["CoreFoundation", "IOKit"]) {
      const framework = path.join(folder, "System/Library/Frameworks", `${name}.framework`);
      mkdirSync(framework, { recursive: true });
      writeFileSync(path.join(framework, `${name}.tbd`), frameworkText(name));
    }
  });
}

function frameworkText(name) {
  return `--- !tapi-tbd
tbd-version: 4
targets: [ x86_64-macos, arm64-macos ]
install-name: '/System/Library/Frameworks/${name}.framework/Versions/A/${name}'
...
`;
}
