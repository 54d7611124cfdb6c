// What cargo needs to build for a target: its standard library, a linker, and what the addon must promise there.
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { WINE_TARGET } from "../platform.mjs";
import { cached } from "./cache.mjs";
import { isOnPath, runCommand } from "./command.mjs";
import { pythonPackages } from "./python-packages.mjs";
import { Missing } from "./steps.mjs";

/** The oldest glibc that the gnu builds load on: Debian 11, Ubuntu 20.04. RHEL 9 has 2.34. */
export const OLDEST_GLIBC = "2.31";

const ZIG = ["ziglang==0.17.1", "cargo-zigbuild==0.24.1"];
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * How to call cargo for `target`: `cargo <before> <subcommand> <after> …` with `env` on top of the environment.
 * `isAddon`: for the library that Node loads, not for a program of its own.
 * Errors: says which part is missing and cannot be had here.
 */
export async function cargoFor(subcommand, target, { isAddon = false } = {}) {
  addStandardLibrary(target);
  const variable = target.toUpperCase().replaceAll("-", "_");
  const flags = rustFlags(target, isAddon);
  const env = flags === undefined ? {} : { [`CARGO_TARGET_${variable}_RUSTFLAGS`]: flags };

  if (target === WINE_TARGET) {
    if (!isOnPath("x86_64-w64-mingw32-gcc")) throw new Missing("apt-get install gcc-mingw-w64-x86-64 is needed");
    env[`CARGO_TARGET_${variable}_LINKER`] = "x86_64-w64-mingw32-gcc";
    env[`CARGO_TARGET_${variable}_RUNNER`] = `node ${path.join(root, "scripts/platforms/wine.mjs")} --`;
    env.LIBNODE_PATH = await emptyLibNode();
    return { command: ["cargo", subcommand, "--target", target], env };
  }
  if (target.endsWith("-msvc") && process.platform !== "win32") {
    throw new Error(`${target} links on Windows only`);
  }
  if (process.platform !== "linux") return { command: ["cargo", subcommand, "--target", target], env };

  // A static program: Rust brings its libc and a linker.
  if (target.endsWith("-musl") && !isAddon) {
    env[`CARGO_TARGET_${variable}_LINKER`] = "rust-lld";
    return { command: ["cargo", subcommand, "--target", target], env };
  }
  const zig = await pythonPackages(ZIG);
  env.CARGO_ZIGBUILD_ZIG_PATH = path.join(zig, "ziglang/zig");
  const versioned = target.endsWith("-linux-gnu") ? `${target}.${OLDEST_GLIBC}` : target;
  const command = [path.join(zig, "bin/cargo-zigbuild"), subcommand === "build" ? "zigbuild" : subcommand];
  return { command: [...command, "--target", versioned], env };
}

/** Flags that belong to a target and must be the same in every build of a release. */
function rustFlags(target, isAddon) {
  // One file for every Windows: no Visual C++ runtime to install.
  if (target.endsWith("-msvc")) return "-C target-feature=+crt-static";
  // A library cannot bring its own libc; the shim can, and does by default.
  if (target.endsWith("-musl") && isAddon) return "-C target-feature=-crt-static";
  return undefined;
}

/** rustup brings it where it may; the toolchain of a distribution has what its packages have. */
export function addStandardLibrary(target) {
  if (hasStandardLibrary(target)) return;
  let why = "rustup was not found";
  if (isOnPath("rustup")) {
    try {
      runCommand("rustup", ["target", "add", target], { cwd: root, timeout: 180_000 });
    } catch (error) {
      why = error.message;
    }
  }
  if (!hasStandardLibrary(target)) throw new Missing(`the standard library of ${target} could not be had: ${why}`);
}

function hasStandardLibrary(target) {
  return existsSync(runCommand("rustc", ["--print", "target-libdir", "--target", target], { cwd: root }).trim());
}

/** Nothing is imported from it, but the build script of napi wants to see one. */
function emptyLibNode() {
  return cached("empty-libnode", (folder) => {
    mkdirSync(folder, { recursive: true });
    const build = ["-shared", "-o", path.join(folder, "libnode.dll"), "-x", "c", "-"];
    runCommand("x86_64-w64-mingw32-gcc", build, { input: "void nothing(void) {}\n", stdio: "pipe" });
  });
}
