// What cargo needs to build for a target: its standard library, a linker, and what the addon must promise there.
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { WINE_TARGET } from "../platform.mjs";
import { isOnPath, runCommand } from "./command.mjs";
import { emptyMacosSdk, emptyLibNode } from "./empty-libraries.mjs";
import { pythonPackages } from "./python-packages.mjs";
import { Missing } from "./steps.mjs";

/** The oldest glibc that the gnu builds load on: Debian 11, Ubuntu 20.04. RHEL 9 has 2.34. */
export const OLDEST_GLIBC = "2.31";

const ZIG = ["ziglang==0.17.1", "cargo-zigbuild==0.24.1"];
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * How to call cargo for `target`: `cargo <before> <subcommand> <after> …` with `env` on top of the environment.
 * `isAddon`: for the library that Node loads, not for a program of its own. `isReleased`: with the small standard library.
 * Errors: says which part is missing and cannot be had here.
 */
export async function cargoFor(subcommand, target, { isAddon = false, isReleased = false } = {}) {
  addStandardLibrary(target);
  const variable = target.toUpperCase().replaceAll("-", "_");
  const flags = rustFlags(target, isAddon);
  // The static libc of arm64 calls arithmetic on 128-bit floats, which only the standard library that Rust ships has.
  const isSmall = isReleased && (isAddon || target !== "aarch64-unknown-linux-musl");
  const env = {
    ...(flags !== undefined && { [`CARGO_TARGET_${variable}_RUSTFLAGS`]: flags }),
    ...(isSmall && smallStandardLibrary()),
  };

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
  // Only to see that it links: what is released for macOS is linked on macOS.
  if (target.endsWith("-darwin")) env.SDKROOT = await emptyMacosSdk();
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

export function addStandardLibrary(target) {
  const rustc = ["rustc", "--print", "target-libdir", "--target", target];
  addToToolchain(["target", "add", target], `the standard library of ${target}`, () => printedPath(rustc));
}

/**
 * Compiled with what uses it, by the same compiler, without the code that looks up where a panic came from: released
 * files have no symbols for it. That code and the tables it needs are a fifth of a package.
 */
function smallStandardLibrary() {
  const source = () => path.join(printedPath(["rustc", "--print", "sysroot"]), "lib/rustlib/src/rust/library");
  addToToolchain(["component", "add", "rust-src"], "the source of Rust's standard library", source);
  return {
    CARGO_UNSTABLE_BUILD_STD: "std,panic_unwind",
    CARGO_UNSTABLE_BUILD_STD_FEATURES: "panic-unwind",
    // A stable cargo takes the two settings only so.
    RUSTC_BOOTSTRAP: "1",
  };
}

/** rustup brings what it may; the toolchain of a distribution has what its packages have. */
function addToToolchain(rustup, what, folder) {
  if (existsSync(folder())) return;
  let why = "rustup was not found";
  if (isOnPath("rustup")) {
    try {
      runCommand("rustup", rustup, { cwd: root, timeout: 180_000 });
    } catch (error) {
      why = error.message;
    }
  }
  if (!existsSync(folder())) throw new Missing(`${what} could not be had: ${why}`);
}

function printedPath([program, ...args]) {
  return runCommand(program, args, { cwd: root }).trim();
}
