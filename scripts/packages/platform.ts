// The platforms that a release has a package for, and what a package manager must know of each.

/** What tells a package manager whether a package is for its machine; absent: not asked. */
export interface PlatformFields {
  os: [string];
  cpu: [string];
  libc?: ["glibc" | "musl"];
}

/** `linux-x64-gnu` and the like, by the Rust target that is built for it. */
export const PLATFORM_BY_TARGET: Readonly<Record<string, string>> = {
  "x86_64-unknown-linux-gnu": "linux-x64-gnu",
  "aarch64-unknown-linux-gnu": "linux-arm64-gnu",
  "x86_64-unknown-linux-musl": "linux-x64-musl",
  "aarch64-unknown-linux-musl": "linux-arm64-musl",
  "x86_64-apple-darwin": "darwin-x64",
  "aarch64-apple-darwin": "darwin-arm64",
  "x86_64-pc-windows-msvc": "win32-x64-msvc",
  "aarch64-pc-windows-msvc": "win32-arm64-msvc",
};

export const PLATFORMS: readonly string[] = Object.values(PLATFORM_BY_TARGET);

export function platformFields(platform: string): PlatformFields {
  const [os, cpu, abi] = platform.split("-");
  if (os === undefined || cpu === undefined || !PLATFORMS.includes(platform)) {
    throw new Error(`there is no package for ${platform}; there is one for ${PLATFORMS.join(", ")}`);
  }
  return { os: [os], cpu: [cpu], ...(os === "linux" && { libc: [abi === "musl" ? "musl" : "glibc"] }) };
}

/** The files of a platform's package that a build leaves in `native/<platform>/`. On Windows the addon supervises by itself. */
export function platformFiles(platform: string): { addon: string; supervisor?: string } {
  const addon = `pi-foreman.${platform}.node`;
  return platform.startsWith("win32-") ? { addon } : { addon, supervisor: "foreman-shim" };
}
