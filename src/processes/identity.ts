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

function startTimeOf(pid: number): string | undefined {
  if (process.platform === "linux") {
    const stat = readOrNothing(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
    // The command name may hold spaces and brackets; the fields after the last bracket are plain. Field 22 is the start.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  }
  if (process.platform === "win32") return undefined;
  const line = readOrNothing(() =>
    execFileSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      timeout: 2_000,
      env: { LC_ALL: "C" },
    }),
  );
  return line === "" ? undefined : line;
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
    const startedAt = startTimeOf(process.pid);
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
  const startedAt = identity.startedAt === undefined ? undefined : startTimeOf(identity.pid);
  if (startedAt === undefined) return "unknown";
  return startedAt === identity.startedAt ? "alive" : "dead";
}
