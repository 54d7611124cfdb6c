// Copies that nobody can change: what history holds must stay as it was.

function freezeDeep(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freezeDeep(inner);
}

/** A deep copy, frozen all the way down. The original stays as free as it was. */
export function frozenCopy<T>(value: T): T {
  const copy = structuredClone(value);
  freezeDeep(copy);
  return copy;
}
