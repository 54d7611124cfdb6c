import type { RunRegistry } from "./registry.ts";

/** pi ends in good order at these. */
const END_SIGNALS = ["SIGTERM", "SIGHUP"] as const;

/**
 * Holds the end of a one-shot session while its background tasks run: pi would end, and them with it, right after the
 * answer. All holds of one session share one budget, so that the process ends within it whatever the model does next.
 */
export class PrintHold {
  readonly #registry: RunRegistry;
  #leftMs: number;

  constructor(registry: RunRegistry, budgetMs: number) {
    this.#registry = registry;
    this.#leftMs = budgetMs;
  }

  /**
   * Waits until a background task of the session ends; at once when none runs. False: none has, and the budget is spent
   * or pi was told to end.
   */
  async waitForAnEnd(sessionId: string): Promise<boolean> {
    const isRunning = (): boolean => this.#registry.runningInBackground().some((run) => run.sessionId === sessionId);
    if (!isRunning() || this.#leftMs <= 0) return false;
    const startedAt = performance.now();
    const ended = await new Promise<boolean>((resolve) => {
      const settle = (result: boolean): void => {
        clearTimeout(timer);
        unlisten();
        unwatchSignals();
        resolve(result);
      };
      const unlisten = this.#registry.onSettled((run) => {
        if (run.sessionId === sessionId) settle(true);
      });
      const unwatchSignals = onEndSignal(() => {
        // Nor may a later hold keep a pi that is to end.
        this.#leftMs = 0;
        settle(false);
      });
      const timer = setTimeout(() => {
        settle(false);
      }, this.#leftMs);
    });
    this.#leftMs -= performance.now() - startedAt;
    return ended;
  }
}

/** A signal that nobody else listens to is left alone: a listener would take its effect away. */
function onEndSignal(action: () => void): () => void {
  const signals = END_SIGNALS.filter((signal) => process.listenerCount(signal) > 0);
  for (const signal of signals) process.on(signal, action);
  return () => {
    for (const signal of signals) process.off(signal, action);
  };
}
