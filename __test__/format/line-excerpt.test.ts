import fc from "fast-check";
import { expect, test } from "vitest";
import { countLines, EMPTY_EXCERPT, joinExcerpts, shrink, type LineExcerpt } from "../../src/format/line-excerpt.ts";

const LIMITS = { maxBytes: 60, maxLines: 6 };
const whole = (lines: string[]): LineExcerpt => ({ head: lines, tail: [], omittedLines: 0 });

test("joined output has a line twice, loses one without counting it, or is out of order", () => {
  const batches = fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 12 }), { maxLength: 6 });
  fc.assert(
    fc.property(batches, (shape) => {
      let next = 0;
      const named = shape.map((batch) => batch.map(() => `line ${next++}`));
      const joined = named.reduce(
        (sum, batch) => joinExcerpts(sum, shrink(whole(batch), LIMITS), LIMITS),
        EMPTY_EXCERPT,
      );
      const shown = [...joined.head, ...joined.tail];
      expect(countLines(joined)).toBe(next);
      expect(shown.length).toBeLessThanOrEqual(LIMITS.maxLines);
      const numbers = shown.map((line) => Number(line.slice(5)));
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(new Set(numbers).size).toBe(numbers.length);
      if (next > 0) expect(numbers.at(-1)).toBe(next - 1);
      if (next > 0) expect(numbers[0]).toBe(0);
    }),
  );
});

test("what fits is cut", () => {
  expect(joinExcerpts(whole(["a"]), whole(["b", ""]), LIMITS)).toEqual(whole(["a", "b", ""]));
});
