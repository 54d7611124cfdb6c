// Small Debians in folders. Nobody writes into them: runs see them below a throw-away layer.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { cached } from "./cache.mjs";
import { isOnPath, runCommand } from "./command.mjs";
import { Missing } from "./steps.mjs";

/**
 * The one with the tools. Its Wine 10 runs Git Bash and Node 24, which the Wine 8 of Debian 12 does not, and its qemu 10
 * knows the system calls of supervision that the qemu 7 of Debian 12 answers with "not implemented".
 */
export function toolsRoot() {
  return cached("debian-trixie-wine64-qemu", (folder) => {
    bootstrap(folder, "trixie", ["--include=wine64,wine,ca-certificates,qemu-user"]);
  });
}

/**
 * One with glibc 2.31, the oldest that is promised. `arch`: Debian's name, amd64 or arm64.
 * It is unpacked only: nothing of it runs before a test does, so a foreign one needs no emulator.
 */
export function oldestRoot(arch) {
  return unpackedRoot("bullseye", arch, "procps");
}

/** One with the loader of musl, version 1.2.5: with older ones Node does not start; its shells are glibc's. */
export function muslRoot(arch) {
  return unpackedRoot("trixie", arch, "musl,procps");
}

function unpackedRoot(suite, arch, include) {
  return cached(`debian-${suite}-${arch}`, (folder) => {
    bootstrap(folder, suite, ["--foreign", `--arch=${arch}`, `--include=${include}`]);
    const archives = path.join(folder, "var/cache/apt/archives");
    for (const file of readdirSync(archives).filter((name) => name.endsWith(".deb"))) {
      runCommand("dpkg-deb", ["--extract", path.join(archives, file), folder]);
    }
    rmSync(archives, { recursive: true });
    writeFileSync(path.join(folder, "etc/passwd"), "root:x:0:0:root:/root:/bin/bash\n");
    writeFileSync(path.join(folder, "etc/group"), "root:x:0:\n");
  });
}

function bootstrap(folder, suite, options) {
  if (process.getuid?.() !== 0) throw new Missing("debootstrap needs root");
  if (!isOnPath("debootstrap")) throw new Missing("debootstrap was not found: apt-get install debootstrap");
  runCommand("debootstrap", ["--variant=minbase", ...options, suite, folder, mirror()]);
  for (const unneeded of ["var/lib/apt/lists", "usr/share/doc", "usr/share/man", "usr/share/locale"]) {
    rmSync(path.join(folder, unneeded), { recursive: true, force: true });
  }
  if (!options.includes("--foreign")) rmSync(path.join(folder, "var/cache/apt"), { recursive: true, force: true });
}

/** The mirror this machine is set up for, where it is a Debian; else the one that picks a mirror near by. */
function mirror() {
  const standard = "http://deb.debian.org/debian";
  if (!isOnPath("apt-get")) return standard;
  const targets = runCommand("apt-get", ["indextargets", "--format", "$(ORIGIN) $(SITE)", "Created-By: Packages"]);
  return /^Debian (https?:\S+\/debian)$/m.exec(targets)?.[1] ?? standard;
}
