// Builds the addon and the shim into native/<platform>/, where src/native.ts looks first: for this machine, or with
// --target <triple> for a release, whose promises (oldest glibc, static parts) scripts/platforms/cargo.mjs keeps.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { thisPlatform } from "./platform.mjs";

const { values } = parseArgs({ options: { target: { type: "string" } } });
if (values.target !== undefined) {
  const { buildTarget } = await import("./platforms/build-target.mjs");
  console.log(await buildTarget(values.target));
  process.exit();
}

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const out = path.join(root, "native", thisPlatform());
mkdirSync(out, { recursive: true });

run(process.execPath, [
  path.join(root, "node_modules/@napi-rs/cli/dist/cli.js"),
  "build",
  "--release",
  "--platform",
  "--no-js",
  "--cwd",
  root,
  "--manifest-path",
  "crates/foreman-napi/Cargo.toml",
  "--package-json-path",
  "package.json",
  "--output-dir",
  out,
  "--dts",
  "../addon.d.ts",
]);

// The shim is linked statically: it starts in half the time and does not care which libc the machine has.
if (process.platform !== "win32") {
  const { target, flags } = shimTarget(/host: (\S+)/.exec(run("rustc", ["-vV"], "pipe"))[1]);
  const what = ["-p", "foreman-shim", "--bin", "foreman-shim"];
  run("cargo", ["rustc", "--quiet", "--release", "--target", target, ...what, ...flags]);
  replaceFile(path.join(root, "target", target, "release", "foreman-shim"), path.join(out, "foreman-shim"));
}

/** musl where its standard library is there or can be had: glibc asks the processor a hundred questions at each start. */
function shimTarget(host) {
  if (process.platform !== "linux") return { target: host, flags: [] };
  const musl = host.replace("-gnu", "-musl");
  const isThere = () => {
    const libdir = spawnSync("rustc", ["--print", "target-libdir", "--target", musl], { cwd: root, encoding: "utf8" });
    return libdir.status === 0 && existsSync(libdir.stdout.trim());
  };
  if (!isThere()) spawnSync("rustup", ["target", "add", musl], { cwd: root, stdio: "ignore", timeout: 120_000 });
  if (isThere()) return { target: musl, flags: [] };
  return { target: host, flags: ["--", "-C", "target-feature=+crt-static"] };
}

/** A running program cannot be written over ("text file busy"), but its name can be given to another file. */
function replaceFile(from, to) {
  copyFileSync(from, `${to}.new`);
  renameSync(`${to}.new`, to);
}

function run(command, args, stdout = "inherit") {
  const result = spawnSync(command, args, { cwd: root, stdio: ["ignore", stdout, "inherit"], encoding: "utf8" });
  if (result.error?.code === "ENOENT") {
    console.error(`${command} was not found. Building from a checkout needs Rust 1.88 or newer (https://rustup.rs).`);
    process.exit(1);
  }
  if (result.status !== 0) process.exit(result.status ?? 1);
  return result.stdout;
}
