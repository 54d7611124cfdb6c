// Numbers from runs: several contestants take turns, so that a busy moment of the machine hits all of them.

/** The middle value; of an even number, the mean of the middle two. NaN of nothing. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which the share `q` (0 to 1) of the values lies, interpolated. NaN of nothing. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  // Infinity stands for "never"; two of them have no difference.
  return below === above ? below : below + (above - below) * (at - Math.floor(at));
}

/** One measured run, repeated; the result's unit is the caller's. */
export type Turn = () => Promise<number>;

/**
 * Gives every contestant one uncounted turn to warm up, then `rounds` counted ones. The order is rotated each round: nobody always
 * comes right after the same neighbour, whose freed memory would be warm.
 */
export async function interleave<Name extends string>(
  rounds: number,
  contestants: Readonly<Record<Name, Turn>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contestants) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (const name of names) await contestants[name]();
  for (let round = 0; round < rounds; round++) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      results[name].push(await contestants[name]());
    }
  }
  return results;
}
