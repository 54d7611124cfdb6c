// A promise with its two ends in hand: `Promise.withResolvers`, which the project's language level does not have.

export interface Deferred<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: Error) => void;
}

/** Rejecting it is not an unhandled rejection when nobody waits. */
export function defer<T>(): Deferred<T> {
  let [resolve, reject]: [(value: T) => void, (error: Error) => void] = [() => undefined, () => undefined];
  const promise = new Promise<T>((onValue, onError) => {
    [resolve, reject] = [onValue, onError];
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
