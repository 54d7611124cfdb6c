// npm run package [-- --all]: packs what is published into npm/*.tgz, from what was built into native/ and dist/, and says
// how big each package is. With --all a platform that was not built is an error: a release has to have every one.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { PREBUILT_PLATFORMS } from "../src/native/platform.ts";
import { layOutPackages } from "./packages/lay-out.ts";

const root = path.resolve(import.meta.dirname, "..");
const out = path.join(root, "npm");
const { values } = parseArgs({ options: { all: { type: "boolean", default: false } } });

const packages = layOutPackages(root, out);
for (const { name, unpackedBytes } of packages) {
  process.stdout.write(`${name.padEnd(32)} ${(unpackedBytes / 1e6).toFixed(2).padStart(6)} MB unpacked\n`);
}
const missing = PREBUILT_PLATFORMS.filter((platform) => !packages.some(({ name }) => name.endsWith(`-${platform}`)));
if (missing.length > 0) process.stdout.write(`not built here: ${missing.join(", ")}\n`);
if (values.all && missing.length > 0) process.exit(1);

// Tarballs, not folders, go from one machine of a workflow to the next: they keep what may be executed.
const folders = packages.map(({ folder }) => folder);
const { status } = spawnSync("npm", ["pack", "--silent", "--pack-destination", out, ...folders], {
  stdio: "inherit",
  shell: process.platform === "win32",
});
process.exitCode = status ?? 1;
