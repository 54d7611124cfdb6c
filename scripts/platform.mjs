// Which of the prebuilt platforms this machine is; the one place that spells their names at build time.
import { existsSync } from "node:fs";

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
