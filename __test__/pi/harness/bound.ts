// How long a test waits before it calls something a hang. Nothing passes or fails by being faster than this.
import { setTimeout as pause } from "node:timers/promises";

/** Far above what a loaded two-core machine needs for a start of pi. */
export const FAILURE_BOUND_MS = 30_000;

/** How often something is looked at that cannot tell us by itself (a screen, the process table). */
const LOOK_EVERY_MS = 30;

/** The promise's value, or an error after `boundMs` whose text says what did not happen. */
export async function within<T>(promise: Promise<T>, boundMs: number, whatElse: () => string): Promise<T> {
  const timer = new AbortController();
  const late = pause(boundMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`after ${boundMs} ms: ${whatElse()}`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.abort();
    late.catch(() => undefined);
  }
}

/** Looks until `look` gives something else than `undefined`; gives `undefined` itself when that never came. */
export async function lookUntil<T>(look: () => T | undefined, boundMs: number): Promise<T | undefined> {
  const end = performance.now() + boundMs;
  for (;;) {
    const seen = look();
    if (seen !== undefined || performance.now() > end) return seen;
    await pause(LOOK_EVERY_MS);
  }
}
