// Calls in the order in which they were made, one at a time.

export interface SerialQueue {
  /** Runs the step after all earlier ones, whether those failed or not. */
  run<T>(step: () => T | Promise<T>): Promise<T>;
  /** Resolves when everything that is queued now has ended. */
  settled(): Promise<void>;
}

/** An empty queue. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run<T>(step: () => T | Promise<T>): Promise<T> {
      const result = last.then(step);
      last = result.catch(() => undefined);
      return result;
    },
    settled: () => last.then(() => undefined),
  };
}
