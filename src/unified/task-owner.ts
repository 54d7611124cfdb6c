// Whose a task is: only the process that runs it can end it and say how it came out.
import { livenessOf, ownIdentity, readIdentity, type Liveness, type ProcessIdentity } from "../processes/identity.ts";

/** The process that has written a record. */
export interface TaskOwner extends ProcessIdentity {
  /** Unix milliseconds of its last sign of life. */
  seenAtMs: number;
}

/** How often an owner writes the records of what it runs again, for those that cannot look at it. */
export const SIGN_OF_LIFE_EVERY_MS = 30_000;

/**
 * An owner that cannot be looked at (a container that was started anew, another boot, a process number of Windows) and has
 * missed so many signs counts as gone; otherwise what it ran would run for ever.
 */
const SILENT_MS = 4 * SIGN_OF_LIFE_EVERY_MS;

/** A living owner is not looked at again sooner than this: on macOS a look starts a program. */
const LOOK_AGAIN_MS = 1_000;

const looks = new Map<string, { liveness: Liveness; atMs: number }>();

/** This process, as the owner of what it writes down now. */
export function ownSign(): TaskOwner {
  return { ...ownIdentity(), seenAtMs: Date.now() };
}

/** The owner in a record; undefined when it names none, as before there were owners. */
export function readOwner(value: unknown): TaskOwner | undefined {
  const identity = readIdentity(value);
  const { seenAtMs } = (value ?? {}) as { seenAtMs?: unknown };
  return identity === undefined || typeof seenAtMs !== "number" ? undefined : { ...identity, seenAtMs };
}

/** Whether nobody but this process can say how a task of this owner came out: it is ours, or its owner has ended. */
export function isWithoutOwner(owner: TaskOwner | undefined, nowMs: number = Date.now()): boolean {
  if (owner === undefined || keyOf(owner) === keyOf(ownIdentity())) return true;
  const liveness = look(owner);
  return liveness === "dead" || (liveness === "unknown" && nowMs - owner.seenAtMs > SILENT_MS);
}

/** What to say of a task that another pi of the same session runs. */
export function noteOwner(owner: TaskOwner): string {
  return `It belongs to another pi of this session (process ${owner.pid}).`;
}

function look(owner: TaskOwner): Liveness {
  const key = keyOf(owner);
  const before = looks.get(key);
  // The dead do not come back.
  if (before !== undefined && (before.liveness === "dead" || performance.now() - before.atMs < LOOK_AGAIN_MS)) {
    return before.liveness;
  }
  const liveness = livenessOf(owner);
  looks.set(key, { liveness, atMs: performance.now() });
  return liveness;
}

function keyOf({ pid, place, startedAt }: ProcessIdentity): string {
  return JSON.stringify([pid, place, startedAt]);
}
