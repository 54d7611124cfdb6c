// Free data that is kept with a task: JSON, as it will be read back from disk.

/** Frozen all the way down once it is in a task. */
export type Metadata = Readonly<Record<string, unknown>>;

function freezeDeep(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freezeDeep(inner);
}

/**
 * A frozen copy that holds what JSON can hold, and nothing when that is empty. Numbers can differ from those given
 * (1e999 has no place in JSON, nor has -0): a list in memory must not hold what its copy on disk loses.
 */
export function recordedMetadata(given: Metadata | undefined): Metadata | undefined {
  if (given === undefined) return undefined;
  const copy = JSON.parse(JSON.stringify(given)) as Metadata;
  if (Object.keys(copy).length === 0) return undefined;
  freezeDeep(copy);
  return copy;
}
