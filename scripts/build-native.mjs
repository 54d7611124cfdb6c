// Builds the addon and the shim for this machine into native/<platform>/, where src/native.ts looks first.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { platformName } from "./platform.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const out = path.join(root, "native", platformName());
mkdirSync(out, { recursive: true });

run("npx", [
  "--no-install",
  "napi",
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

// The shim is linked statically: it starts in a third of the time and does not care which libc the machine has.
if (process.platform !== "win32") {
  const host = /host: (\S+)/.exec(run("rustc", ["-vV"], "pipe"))[1];
  const flags = process.platform === "linux" ? ["--", "-C", "target-feature=+crt-static"] : [];
  run("cargo", [
    "rustc",
    "--quiet",
    "--release",
    "--target",
    host,
    "-p",
    "foreman-shim",
    "--bin",
    "foreman-shim",
    ...flags,
  ]);
  replaceFile(path.join(root, "target", host, "release", "foreman-shim"), path.join(out, "foreman-shim"));
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
