import { notePromotionCause, type PromotionCause } from "./foreground.ts";
import type { RunRegistry } from "./registry.ts";
import type { Run } from "./run.ts";

/**
 * Moves a running command to the background: same process, same file. Its wait is answered when the core has confirmed;
 * an end that comes first wins. False: it has ended, or nobody waits for it.
 */
export function requestPromotion(registry: RunRegistry, run: Run, cause: PromotionCause): boolean {
  if (!run.foreground || run.ended || run.stopAsked) return false;
  notePromotionCause(run, cause);
  return registry.addon.requestPromotion(run.id);
}

/** Moves all commands that somebody waits for; of one session when given. Says how many. */
export function requestPromotionOfAll(registry: RunRegistry, cause: PromotionCause, sessionId?: string): number {
  const runs = registry.inForeground().filter((run) => sessionId === undefined || run.sessionId === sessionId);
  return runs.filter((run) => requestPromotion(registry, run, cause)).length;
}

/** What the key of the person does: nobody is waited for any more, whether it runs or its turn has not come. Says how many. */
export function moveAllToBackground(registry: RunRegistry): number {
  return requestPromotionOfAll(registry, "person") + registry.answerQueued();
}

/** Makes a run that nobody waits for any more a task of the background: listed, stoppable, its end told. */
export function adopt(registry: RunRegistry, run: Run, kind: "promoted" | "leftover"): void {
  run.foreground = false;
  run.leftover = kind === "leftover";
  registry.save(run);
  // It may have ended between the core's message and this line.
  registry.settleIfOver(run);
}

/** A sleep is waited for or ended, never moved: in the background it would do nothing but hold a place in the list. */
export function mayMoveOnTimeout(command: string): boolean {
  return !/^\s*sleep\b/.test(command);
}
