// node scripts/publish.ts [npm publish flags]: publishes what `npm run package -- --all` has packed into npm/. The platform
// packages go first, so that nobody gets a main package whose parts are not there; what is published already is left alone,
// so that a release that broke off can be run again.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { type Manifest, mainManifest } from "./packages/manifest.ts";

const root = path.resolve(import.meta.dirname, "..");
const checkout = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as Manifest;
const parts = Object.keys(mainManifest(checkout)["optionalDependencies"] as Record<string, string>);

for (const name of [...parts, checkout.name]) {
  if (isPublished(name, checkout.version)) {
    process.stdout.write(`${name}@${checkout.version} is published already\n`);
    continue;
  }
  const { status } = npm(
    ["publish", path.join(root, "npm", `${name}-${checkout.version}.tgz`), ...process.argv.slice(2)],
    "inherit",
  );
  if (status !== 0) process.exit(status ?? 1);
}

function isPublished(name: string, version: string): boolean {
  const { status, stdout } = npm(["view", `${name}@${version}`, "version", "--json"], "pipe");
  if (status === 0) return stdout.trim() !== "";
  // Anything but "there is no such thing" is no answer, and nothing is published on a guess.
  const code = /"code":\s*"(\w+)"/.exec(stdout)?.[1];
  if (code === "E404") return false;
  throw new Error(`could not ask whether ${name}@${version} is published: ${stdout}`);
}

function npm(args: string[], output: "inherit" | "pipe"): { status: number | null; stdout: string } {
  return spawnSync("npm", args, { cwd: root, stdio: ["ignore", output, "inherit"], encoding: "utf8" });
}
