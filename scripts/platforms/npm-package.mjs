// Other people's programs that come as npm packages: Node for another system, Git for Windows.
import { readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { cached } from "./cache.mjs";
import { runCommand } from "./command.mjs";

/** The folder with the files of one exact version. Nothing of the package is run. */
export async function unpackNpmPackage(name, version) {
  return cached(`npm-${name.replace("/", "-")}-${version}`, (folder) => unpackInto(folder, name, version));
}

/** Leaves the content of the package directly in `folder`. */
export function unpackInto(folder, name, version) {
  runCommand("npm", ["pack", "--silent", `${name}@${version}`], { cwd: folder });
  const [archive] = readdirSync(folder).filter((file) => file.endsWith(".tgz"));
  runCommand("tar", ["-xzf", archive], { cwd: folder });
  rmSync(path.join(folder, archive));
  for (const entry of readdirSync(path.join(folder, "package"))) {
    renameSync(path.join(folder, "package", entry), path.join(folder, entry));
  }
  rmSync(path.join(folder, "package"), { recursive: true });
}
