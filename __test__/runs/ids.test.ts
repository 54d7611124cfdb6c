import { expect, test } from "vitest";
import { createRunId } from "../../src/runs/ids.ts";

const free = (): boolean => false;

test("an id has another shape, or comes twice", () => {
  const ids = Array.from({ length: 20_000 }, () => createRunId(free));
  for (const id of ids) expect(id).toMatch(/^l[a-z0-9]{8}$/);
  expect(new Set(ids).size).toBe(ids.length);
});

test("an id that is in use is given again", () => {
  const taken = createRunId(free);
  let asked = 0;
  expect(createRunId((id) => asked++ === 0 || id === taken)).not.toBe(taken);
  expect(asked).toBe(2);
});

test("the first letters come more often", () => {
  // 36 does not divide 256: the last four bytes would be a, b, c and d once more than the others.
  const rounds = [
    [255, 254, 253, 252, 0, 35, 36, 251],
    [1, 2, 3, 4, 5, 6, 7, 8],
  ];
  expect(createRunId(free, () => Uint8Array.from(rounds.shift() ?? []))).toBe("la9a9bcde");
});
