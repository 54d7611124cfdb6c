// What a package manager must know of each platform's package.
import { PREBUILT_PLATFORMS } from "../../src/native/platform.ts";

/** What tells a package manager whether a package is for its machine; absent: not asked. */
export interface PlatformFields {
  os: [string];
  cpu: [string];
  libc?: ["glibc" | "musl"];
}

export function platformFields(platform: string): PlatformFields {
  const [os, cpu, abi] = platform.split("-");
  if (os === undefined || cpu === undefined || !PREBUILT_PLATFORMS.includes(platform)) {
    throw new Error(`there is no package for ${platform}; there is one for ${PREBUILT_PLATFORMS.join(", ")}`);
  }
  return { os: [os], cpu: [cpu], ...(os === "linux" && { libc: [abi === "musl" ? "musl" : "glibc"] }) };
}

/** The files of a platform's package that a build leaves in `native/<platform>/`. On Windows the addon supervises by itself. */
export function platformFiles(platform: string): { addon: string; supervisor?: string } {
  const addon = `pi-foreman.${platform}.node`;
  return platform.startsWith("win32-") ? { addon } : { addon, supervisor: "foreman-shim" };
}
