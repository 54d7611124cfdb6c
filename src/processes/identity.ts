// Which process is meant, beyond a number that the system gives to someone else later.
import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** A process as another one can recognise it. */
export interface ProcessIdentity {
  pid: number;
  /** Machine and, on Linux, boot and pid namespace: pids of two places cannot be compared. */
  place: string;
  /** In the system's own words; only ever compared. Absent: could not be looked up. */
  startedAt?: string;
}

/** The identity that another process has written down; undefined for anything else. */
export function readIdentity(value: unknown): ProcessIdentity | undefined {
  const { pid, place, startedAt } = (value ?? {}) as Partial<Record<keyof ProcessIdentity, unknown>>;
  if (typeof pid !== "number" || pid <= 0 || typeof place !== "string") return undefined;
  return { pid, place, ...(typeof startedAt === "string" && { startedAt }) };
}

export type Liveness = "alive" | "dead" | "unknown";

function readOrNothing(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return "";
  }
}

/** What the system tells of a process. */
export interface ProcessFacts {
  /** It has ended, and its parent has not asked for its exit yet: a killed pi below a program that never asks stays so. */
  isZombie: boolean;
  startedAt: string | undefined;
}

/** From the text of `/proc/<pid>/stat`; undefined for none. */
export function parseProcStat(stat: string): ProcessFacts | undefined {
  // The command name may hold spaces and brackets; the fields after the last bracket are plain. Field 3 is the state, 22 the start.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return stat === "" ? undefined : { isZombie: /^[ZXx]$/.test(fields[0] ?? ""), startedAt: fields[19] };
}

/** From the line of `ps -o stat= -o lstart=`; undefined for none. */
export function parsePsLine(line: string): ProcessFacts | undefined {
  const [, state, startedAt] = /^(\S+)(?:\s+(.+))?$/.exec(line.trim()) ?? [];
  return state === undefined ? undefined : { isZombie: state.startsWith("Z"), startedAt };
}

function lookUp(pid: number): ProcessFacts | undefined {
  if (process.platform === "win32") return undefined;
  if (process.platform === "linux")
    return parseProcStat(readOrNothing(() => readFileSync(`/proc/${pid}/stat`, "latin1")));
  const line = readOrNothing(() =>
    // Two options: what follows a `=` is a heading up to the end of the argument.
    execFileSync("/bin/ps", ["-o", "stat=", "-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      timeout: 2_000,
      env: { LC_ALL: "C" },
    }),
  );
  return parsePsLine(line);
}

function currentPlace(): string {
  const boot = readOrNothing(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1"));
  const namespace = readOrNothing(() => readlinkSync("/proc/self/ns/pid"));
  return [hostname(), boot, namespace].filter(Boolean).join(" ");
}

let self: ProcessIdentity | undefined;

/** This process. */
export function ownIdentity(): ProcessIdentity {
  if (self === undefined) {
    const startedAt = lookUp(process.pid)?.startedAt;
    self = { pid: process.pid, place: currentPlace(), ...(startedAt === undefined ? {} : { startedAt }) };
  }
  return self;
}

/**
 * Whether that very process is running. `unknown`: it belongs to a place that cannot be looked into from here, or there is
 * a process of that number and nothing tells whether it is the one meant. Windows gives a number away again at once.
 */
export function livenessOf(identity: ProcessIdentity): Liveness {
  if (identity.place !== ownIdentity().place) return "unknown";
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return "dead";
    // EPERM: there is such a process, of another user. Its start time tells whether it is the one meant.
  }
  const seen = lookUp(identity.pid);
  // Whether it is the one meant or came after it: neither runs.
  if (seen?.isZombie === true) return "dead";
  if (identity.startedAt === undefined || seen?.startedAt === undefined) return "unknown";
  return seen.startedAt === identity.startedAt ? "alive" : "dead";
}
