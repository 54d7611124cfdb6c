// Brings a fresh checkout to the point where everything runs: packages, then the native core, then the bundles.
// Run by the first node on PATH, which may be older than the one the packages bring. With --packages nothing is built.
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const lock = path.join(root, "package-lock.json");
const installed = path.join(root, "node_modules/.package-lock.json");

// A node_modules that is a link belongs to another checkout, whose packages npm would remove through it.
const isShared = lstatSync(path.join(root, "node_modules"), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
if (!isShared && (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs)) {
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel", "error"]);
}

// What the install tests install with. Not among the project's own packages: see the description there.
const managers = path.join(root, "__test__/install/package-managers");
const manifest = path.join(managers, "package.json");
const managersInstalled = path.join(managers, "node_modules/.package-lock.json");
if (!existsSync(managersInstalled) || statSync(managersInstalled).mtimeMs < statSync(manifest).mtimeMs) {
  run("npm", ["install", "--prefix", managers, "--no-package-lock", "--no-audit", "--no-fund", "--loglevel", "error"]);
}

if (!process.argv.includes("--packages")) run("npm", ["run", "--silent", "build"]);

function run(command, args) {
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (result.status !== 0) process.exit(result.status ?? 1);
}
