// node scripts/publish.ts [--from npm] [-- npm publish flags]: publishes what `npm run package -- --all` has packed. The
// platform packages go first, so that nobody gets a main package whose parts are not there; what is published already is
// left alone, so that a release that broke off can be run again.
// node scripts/publish.ts --is-new: prints whether this version is not published yet, as `true` or `false`.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { PREBUILT_PLATFORMS } from "../src/native/platform.ts";
import { type Manifest, platformPackageName } from "./packages/manifest.ts";

const root = path.resolve(import.meta.dirname, "..");
const checkout = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as Manifest;
const { version } = checkout;
const inOrder = [...PREBUILT_PLATFORMS.map((platform) => platformPackageName(checkout, platform)), checkout.name];
const { values, positionals: flags } = parseArgs({
  allowPositionals: true,
  options: { from: { type: "string", default: path.join(root, "npm") }, "is-new": { type: "boolean", default: false } },
});

if (values["is-new"]) {
  // The main package is the last that is published.
  process.stdout.write(`${!isPublished(checkout.name)}\n`);
  process.exit();
}

for (const name of inOrder) {
  if (isPublished(name)) {
    process.stdout.write(`${name}@${version} is published already\n`);
    continue;
  }
  const { status } = npm(["publish", path.resolve(values.from, `${name}-${version}.tgz`), ...flags], "inherit");
  if (status !== 0) process.exit(status ?? 1);
}

function isPublished(name: string): boolean {
  const { status, stdout } = npm(["view", `${name}@${version}`, "version", "--json"], "pipe");
  if (status === 0) return stdout.trim() !== "";
  // Anything but "there is no such thing" is no answer, and nothing is published on a guess.
  const code = /"code":\s*"(\w+)"/.exec(stdout)?.[1];
  if (code === "E404") return false;
  throw new Error(`could not ask whether ${name}@${version} is published: ${stdout}`);
}

function npm(args: string[], output: "inherit" | "pipe"): { status: number | null; stdout: string } {
  return spawnSync("npm", args, { cwd: root, stdio: ["ignore", output, output], encoding: "utf8" });
}
