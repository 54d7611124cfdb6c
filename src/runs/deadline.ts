import { MAX_TIMER_MS } from "../config.ts";
import { guard } from "./registry.ts";

/** News that came while this process did not run is taken within milliseconds; a busy machine may need more. */
const LATE_NEWS_MS = 500;

/**
 * Calls `action` when the core should have spoken long ago and has not, unless the returned function is called first.
 *
 * A host that was suspended, or whose event loop was blocked, finds its timers due before it has heard what the core said
 * meanwhile. So the news gets a moment to arrive.
 */
export function startDeadline(delayMs: number, action: () => void): () => void {
  let timer = setTimeout(
    () => {
      timer = setTimeout(() => {
        // What throws in a timer would end pi.
        guard(action);
      }, LATE_NEWS_MS);
    },
    // Above that a timer of Node fires at once.
    Math.min(delayMs, MAX_TIMER_MS),
  );
  return () => {
    clearTimeout(timer);
  };
}
