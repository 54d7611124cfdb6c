// One writer at a time, over all processes. The design page says why this is not a library.
//
// A lock is a folder that holds one file, named after the token of its owner. Taking it is one rename, so it never exists
// without its owner's record; giving it up, or taking it from a dead owner, unlinks that one file by name, which cannot
// hit an owner who came in between.
import { randomUUID } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm, rmdir, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { livenessOf, ownIdentity, readIdentity, type ProcessIdentity } from "../processes/identity.ts";
import { errnoOf } from "./errno.ts";

/** Longest wait for a live owner. It holds the lock for one read and one write; this long means it is stuck. */
const DEFAULT_WAIT_MS = 10_000;

/** An owner that cannot be looked at (another machine) is given this long before it counts as gone. */
const DEFAULT_UNKNOWN_OWNER_MS = 10_000;

/** Bounds of the pause between two attempts; random within, so that waiters do not move in step. */
const RETRY_DELAY_MS = { min: 1, max: 12 } as const;

export interface LockOptions {
  waitMs?: number;
  unknownOwnerMs?: number;
  signal?: AbortSignal | undefined;
  /** Milliseconds that never jump. */
  now?: () => number;
}

/** The lock could not be had in time. The message names who holds it. */
export class LockTimeoutError extends Error {
  override name = "LockTimeoutError";
}

export interface HeldLock {
  /** Throws when someone has taken the lock away, which can only happen to an owner that others cannot see alive. */
  verify(): Promise<void>;
  /** Gives it up; never throws. */
  release(): Promise<void>;
}

interface Owner {
  fileName: string;
  identity: ProcessIdentity | undefined;
}

function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    return readIdentity(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function ownerOf(lock: string): Promise<Owner | undefined> {
  try {
    const [fileName] = await readdir(lock);
    if (fileName === undefined) return undefined;
    return { fileName, identity: parseIdentity(await readFile(path.join(lock, fileName), "utf8")) };
  } catch (error) {
    // Gone between two looks: that is what we wait for.
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Removes the owner's file and, if nobody else came in, the folder. */
async function removeOwner(lock: string, fileName: string): Promise<void> {
  await unlink(path.join(lock, fileName)).catch((error: unknown) => {
    if (errnoOf(error) !== "ENOENT") throw error;
  });
  await removeIfEmpty(lock);
}

/** POSIX lets a rename replace an empty folder, Windows does not; a folder in use stays. */
async function removeIfEmpty(lock: string): Promise<void> {
  await rmdir(lock).catch(() => undefined);
}

/** What a rename says when the lock is there and not empty (Windows has its own words for it). */
const TAKEN = new Set(["ENOTEMPTY", "EEXIST", "EPERM", "EACCES", "EBUSY"]);

async function tryRename(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (TAKEN.has(errnoOf(error) ?? "")) return false;
    throw error;
  }
}

/** A live owner is not looked up again sooner than this: on macOS a look starts a program. */
const LOOK_AGAIN_MS = 50;

/** Decides, look by look, whether the present owner is gone. */
function createObserver(unknownOwnerMs: number, now: () => number): (owner: Owner) => boolean {
  let seen: { fileName: string; sinceMs: number; lookedMs: number } | undefined;
  return (owner) => {
    const time = now();
    if (seen?.fileName === owner.fileName && time - seen.lookedMs < LOOK_AGAIN_MS) return false;
    const sinceMs = seen?.fileName === owner.fileName ? seen.sinceMs : time;
    seen = { fileName: owner.fileName, sinceMs, lookedMs: time };
    const liveness = owner.identity === undefined ? "unknown" : livenessOf(owner.identity);
    return liveness === "dead" || (liveness === "unknown" && time - sinceMs >= unknownOwnerMs);
  };
}

function describe(owner: Owner | undefined): string {
  return owner?.identity === undefined
    ? "an unknown process"
    : `process ${owner.identity.pid} (${owner.identity.place.split(" ")[0] ?? ""})`;
}

/**
 * Waits until the lock is ours. A dead owner is recognised by pid and start time and costs no waiting.
 *
 * @param folder where the lock lives; must exist
 *
 * Errors: LockTimeoutError; the reason of an aborted signal; what the system said (a folder that cannot be written).
 */
export async function acquireLock(folder: string, options: LockOptions = {}): Promise<HeldLock> {
  const {
    waitMs = DEFAULT_WAIT_MS,
    unknownOwnerMs = DEFAULT_UNKNOWN_OWNER_MS,
    signal,
    now = () => performance.now(),
  } = options;
  const lock = path.join(folder, "lock");
  const token = randomUUID();
  const fileName = `${token}.json`;
  const prepared = path.join(folder, `lock-${token}`);
  const deadlineMs = now() + waitMs;
  const isGone = createObserver(unknownOwnerMs, now);
  try {
    await mkdir(prepared, { mode: 0o700 });
    await writeFile(path.join(prepared, fileName), JSON.stringify(ownIdentity()), { mode: 0o600 });
    while (!(await tryRename(prepared, lock))) {
      signal?.throwIfAborted();
      const owner = await ownerOf(lock);
      if (owner === undefined) {
        await removeIfEmpty(lock);
      } else if (isGone(owner)) {
        await removeOwner(lock, owner.fileName);
        continue;
      }
      if (now() >= deadlineMs)
        throw new LockTimeoutError(`the task list has been locked for ${waitMs} ms by ${describe(owner)}`);
      await sleep(RETRY_DELAY_MS.min + Math.random() * (RETRY_DELAY_MS.max - RETRY_DELAY_MS.min));
    }
  } catch (error) {
    await rm(prepared, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
  return {
    verify: () => access(path.join(lock, fileName)),
    release: () => removeOwner(lock, fileName).catch(() => undefined),
  };
}
