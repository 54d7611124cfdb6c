// The prebuilt platforms and which of them this machine is; the one place that spells their names at build time.
import { existsSync } from "node:fs";

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

/** `linux-x64-gnu`, `darwin-arm64`, `win32-x64-msvc`, … as in the names of the platform packages. */
export function platformName() {
  const { platform, arch } = process;
  if (platform === "linux") return `linux-${arch}-${isMusl() ? "musl" : "gnu"}`;
  if (platform === "win32") return `win32-${arch}-msvc`;
  return `${platform}-${arch}`;
}

/** Only glibc reports its version in the diagnostic report; a musl loader sits at a fixed path. */
function isMusl() {
  const report = process.report.getReport();
  if (report.header.glibcVersionRuntime) return false;
  return existsSync(`/lib/ld-musl-${process.arch === "x64" ? "x86_64" : "aarch64"}.so.1`);
}
