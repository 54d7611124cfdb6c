// node scripts/publish.ts [--from npm] [-- npm publish flags]: publishes what `npm run package -- --all` has packed. The
// platform packages go first, so that nobody gets a main package whose parts are not there; of these very files, what is
// published already is left alone, so that a release that broke off can be run again.
// node scripts/publish.ts --is-new: prints whether this version is not published yet, as `true` or `false`.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
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
  process.stdout.write(`${publishedIntegrity(checkout.name) === undefined}\n`);
  process.exit();
}

const releases = inOrder.map((name) => {
  const tarball = path.resolve(values.from, `${name}-${version}.tgz`);
  return { name, tarball, published: publishedIntegrity(name) };
});
// Of two builds the parts would be of one version and not fit.
const foreign = releases.filter(
  ({ tarball, published }) => published !== undefined && published !== integrityOf(tarball),
);
if (foreign.length > 0) {
  const names = foreign.map(({ name }) => `${name}@${version}`).join(", ");
  process.stderr.write(
    `${names}: published already, from another build. Run the one that broke off again, or raise the version.\n`,
  );
  process.exit(1);
}
for (const { name, tarball, published } of releases) {
  if (published !== undefined) {
    process.stdout.write(`${name}@${version} is published already\n`);
    continue;
  }
  const { status } = npm(["publish", tarball, ...flags], "inherit");
  if (status !== 0) process.exit(status ?? 1);
}

/** Undefined when this version is not published. */
function publishedIntegrity(name: string): string | undefined {
  const { status, stdout } = npm(["view", `${name}@${version}`, "dist.integrity", "--json"], "pipe");
  if (status === 0) return stdout.trim() === "" ? undefined : (JSON.parse(stdout) as string);
  // Anything but "there is no such thing" is no answer, and nothing is published on a guess.
  const code = /"code":\s*"(\w+)"/.exec(stdout)?.[1];
  if (code === "E404") return undefined;
  throw new Error(`could not ask whether ${name}@${version} is published: ${stdout}`);
}

function integrityOf(tarball: string): string {
  return `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
}

function npm(args: string[], output: "inherit" | "pipe"): { status: number | null; stdout: string } {
  return spawnSync("npm", args, { cwd: root, stdio: ["ignore", output, output], encoding: "utf8" });
}
