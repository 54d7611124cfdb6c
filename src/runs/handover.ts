import type { PromotionCause } from "./foreground.ts";
import type { TaskFacts, Run } from "./run.ts";

/**
 * What the tool `task` and the call of bash that it makes through pi tell each other. pi carries only arguments and
 * texts between the two, and every permission hook sees those; this is what must not be among them.
 */
export interface Handover {
  /** For bash: what the run is to be called. */
  readonly task: TaskFacts;
  /** For `task`: the run, once it has been started. */
  run?: Run;
  /**
   * For `task`: what bash answered, before hooks on results saw it. `output` is the start of `text`; `notes` are lines
   * at its end that are worth saying again.
   */
  answer?: { text: string; output: string; notes: string[] };
  /** For `task`: who moved the run to the background while its call waited. */
  movedBy?: PromotionCause;
}

/** Handovers under way, by the id of the call that makes the inner one. */
export class Handovers {
  readonly #open = new Map<string, Handover>();

  /** Calls of bash that the call `parentCallId` makes find this, until the returned function is called. */
  begin(parentCallId: string, handover: Handover): () => void {
    this.#open.set(parentCallId, handover);
    return () => {
      this.#open.delete(parentCallId);
    };
  }

  /** What was handed over to this call; pi names a call within a call `<parent>/<n>`. */
  find(callId: string): Handover | undefined {
    const end = callId.lastIndexOf("/");
    return end < 0 ? undefined : this.#open.get(callId.slice(0, end));
  }
}
