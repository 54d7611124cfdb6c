// Builds the addon and the shim of one target into native/<platform>/, as they are released.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { WINE_TARGET, platformOfTarget } from "../platform.mjs";
import { cargoFor } from "./cargo.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** The folder with `pi-foreman.<platform>.node` and, but for Windows, `foreman-shim`. */
export async function buildTarget(target) {
  const platform = platformOfTarget(target);
  if (platform === undefined) throw new Error(`${target} is none of the targets of scripts/platform.mjs`);
  const out = path.join(root, "native", platform);
  mkdirSync(out, { recursive: true });

  await build(target, "foreman-napi", { isAddon: true });
  const askedFor = target === WINE_TARGET ? "win32-x64-msvc" : platform;
  replaceFile(built(target, libraryName(target)), path.join(out, `pi-foreman.${askedFor}.node`));
  if (!target.includes("windows")) {
    // Static, so that it starts in half the time and does not care which libc the machine has.
    const shimTarget = target.replace("-linux-gnu", "-linux-musl");
    await build(shimTarget, "foreman-shim", { isAddon: false });
    replaceFile(built(shimTarget, "foreman-shim"), path.join(out, "foreman-shim"));
  }
  return out;
}

async function build(target, crate, options) {
  const { command, env } = await cargoFor("build", target, { ...options, isReleased: true });
  const [program, ...args] = [...command, "--quiet", "--release", "-p", crate];
  const result = spawnSync(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (result.error) throw result.error;
  if (result.status !== 0) throw new Error(`${crate} does not build for ${target}`);
}

function built(target, file) {
  return path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, "target"), target, "release", file);
}

function libraryName(target) {
  if (target.includes("windows")) return "foreman_napi.dll";
  return `libforeman_napi.${target.includes("apple") ? "dylib" : "so"}`;
}

/** A file that is in use cannot be written over, but its name can be given to another one. */
function replaceFile(from, to) {
  copyFileSync(from, `${to}.new`);
  renameSync(`${to}.new`, to);
}
