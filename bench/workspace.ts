// A folder for everything a bench writes, in memory where there is room, gone afterwards; and the compiled C programs.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const PROGRAMS = path.join(import.meta.dirname, "programs");
const GIB = 1024 ** 3;

/** `text` is for people: where it is and of what kind. */
export interface Workspace {
  folder: string;
  /** On tmpfs: writing is as fast as memory, so nothing hides behind a disk. */
  inMemory: boolean;
}

/** Made in /dev/shm when that has room for the largest row, otherwise in the temp folder. */
export function createWorkspace(bytesNeeded: number): Workspace {
  const shm = "/dev/shm";
  const inMemory = existsSync(shm) && freeBytes(shm) >= bytesNeeded;
  const folder = mkdtempSync(path.join(inMemory ? shm : tmpdir(), "pi-foreman-bench-"));
  process.once("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  for (const [signal, status] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    process.once(signal, () => process.exit(status));
  }
  return { folder, inMemory };
}

/** Why `bytes` cannot be written to the workspace, if they cannot. */
export function lackOfRoom(workspace: Workspace, bytes: number): string | undefined {
  const free = freeBytes(workspace.folder);
  // A quarter on top: the machine needs to breathe.
  if (free >= bytes * 1.25) return undefined;
  return `needs ${(bytes / GIB).toFixed(1)} GiB in ${workspace.folder}, which has ${(free / GIB).toFixed(1)}`;
}

/** The path of the compiled `programs/<name>.c`; undefined without a C compiler. */
export function compileProgram(workspace: Workspace, name: string): string | undefined {
  const program = path.join(workspace.folder, name);
  if (existsSync(program)) return program;
  const built = spawnSync("cc", ["-O2", "-o", program, path.join(PROGRAMS, `${name}.c`)], { stdio: "inherit" });
  if (built.error) return undefined;
  if (built.status !== 0) throw new Error(`cc could not compile ${name}.c`);
  return program;
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
