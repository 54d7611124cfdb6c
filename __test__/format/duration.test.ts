import { expect, test } from "vitest";
import { formatDuration, formatLimit } from "../../src/format/duration.ts";

test.each([
  [0, "0s"],
  [999, "0s"],
  [1000, "1s"],
  [59_999, "59s"],
  [60_000, "1m 0s"],
  [119_500, "2m 0s"],
  [120_000, "2m 0s"],
  [3_599_600, "1h 0m 0s"],
  [3_723_000, "1h 2m 3s"],
  [86_399_500, "1d 0h 0m"],
  [93_780_000, "1d 2h 3m"],
  [-5, "0s"],
  [Number.NaN, "0s"],
])("%d ms reads %s", (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});

test.each([
  [500, "500ms"],
  [1000, "1s"],
  [1500, "1.5s"],
  [120_000, "2m"],
  [90_000, "1m 30s"],
  [3_600_000, "1h"],
  [86_400_000, "1d"],
])("a limit of %d ms is shown in the wrong unit (%s)", (limitMs, text) => {
  expect(formatLimit(limitMs)).toBe(text);
});
