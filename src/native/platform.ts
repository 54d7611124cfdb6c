// Which of the prebuilt platforms a machine is.
import { existsSync } from "node:fs";

/** Every platform that a release has a package for, named as in the names of those packages. */
export const PREBUILT_PLATFORMS: readonly string[] = [
  "linux-x64-gnu",
  "linux-arm64-gnu",
  "linux-x64-musl",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "win32-x64-msvc",
  "win32-arm64-msvc",
];

/** The machine as far as its name goes. */
export interface PlatformHost {
  platform: NodeJS.Platform;
  arch: string;
  isMusl(): boolean;
}

/** `linux-x64-gnu`, `darwin-arm64`, …, also for what there is no package for. */
export function platformName(host: PlatformHost): string {
  if (host.platform === "linux") return `linux-${host.arch}-${host.isMusl() ? "musl" : "gnu"}`;
  if (host.platform === "win32") return `win32-${host.arch}-msvc`;
  return `${host.platform}-${host.arch}`;
}

/** A musl loader may lie on a glibc system too; only glibc reports its version, but the report is slow, so it comes last. */
export function isMuslHost(): boolean {
  if (!existsSync(`/lib/ld-musl-${process.arch === "x64" ? "x86_64" : "aarch64"}.so.1`)) return false;
  const report = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return report.header.glibcVersionRuntime === undefined;
}
