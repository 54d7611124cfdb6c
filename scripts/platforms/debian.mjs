// A small Debian 13 in a folder. Its Wine 10 runs Git Bash and Node 24, which the Wine 8 of Debian 12 does not, and its
// qemu 10 knows the system calls of supervision that the qemu 7 of Debian 12 answers with "not implemented".
import { rmSync } from "node:fs";
import path from "node:path";
import { cached } from "./cache.mjs";
import { isOnPath, runCommand } from "./command.mjs";

const SUITE = "trixie";
const PACKAGES = ["wine64", "wine", "ca-certificates", "qemu-user"];

/** The folder of the system; nobody may write into it, runs see it below a throw-away layer. */
export function debianRoot() {
  return cached(`debian-${SUITE}-wine64-qemu`, (folder) => {
    if (process.getuid?.() !== 0) throw new Error("debootstrap and chroot need root");
    if (!isOnPath("debootstrap")) throw new Error("debootstrap was not found: apt-get install debootstrap");
    const include = `--include=${PACKAGES.join(",")}`;
    runCommand("debootstrap", ["--variant=minbase", include, SUITE, folder, debianMirror()]);
    for (const unneeded of ["var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/man"]) {
      rmSync(path.join(folder, unneeded), { recursive: true, force: true });
    }
  });
}

/** The mirror this machine is set up for, where it is a Debian; else the one that picks a mirror near by. */
function debianMirror() {
  const standard = "http://deb.debian.org/debian";
  if (!isOnPath("apt-get")) return standard;
  const targets = runCommand("apt-get", ["indextargets", "--format", "$(ORIGIN) $(SITE)", "Created-By: Packages"]);
  return /^Debian (https?:\S+\/debian)$/m.exec(targets)?.[1] ?? standard;
}
