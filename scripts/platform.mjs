// What each prebuilt platform is to Rust.
import { isMuslHost, platformName } from "../src/native/platform.ts";

/** What is released: the name in the platform packages, and the target that Rust builds it for. */
export const TARGET_OF_PLATFORM = {
  "linux-x64-gnu": "x86_64-unknown-linux-gnu",
  "linux-arm64-gnu": "aarch64-unknown-linux-gnu",
  "linux-x64-musl": "x86_64-unknown-linux-musl",
  "linux-arm64-musl": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
  "win32-x64-msvc": "x86_64-pc-windows-msvc",
  "win32-arm64-msvc": "aarch64-pc-windows-msvc",
};

/** Never released: built without Microsoft's linker, to be run by Wine. Its addon has the name that Windows asks for. */
export const WINE_TARGET = "x86_64-pc-windows-gnu";

/** The platform that `target` is built for, or undefined when it is not one of ours. */
export function platformOfTarget(target) {
  if (target === WINE_TARGET) return "win32-x64-gnu";
  return Object.keys(TARGET_OF_PLATFORM).find((name) => TARGET_OF_PLATFORM[name] === target);
}

/** What this machine is. */
export function thisPlatform() {
  return platformName({ platform: process.platform, arch: process.arch, isMusl: isMuslHost });
}
