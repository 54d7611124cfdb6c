import { describe, expect, test } from "vitest";
import { boundOutput } from "../../src/format/bound-output.ts";
import { readStream } from "../../src/format/stream-text.ts";
import { capture } from "./capture.ts";

const PATH = "/tmp/picc-bash/s/tasks/l12345678.output";
const MARKER = /^\.\.\. \[(\d+) lines, (\S+ \S+) omitted\. Full output: (\S+)\] \.\.\.$/m;

function bound(content: string | Uint8Array, maxChars: number, windowBytes?: number) {
  return boundOutput(readStream(capture(content, windowBytes)), maxChars, PATH);
}

const numbers = (last: number): string => Array.from({ length: last }, (_, index) => `${index + 1}\n`).join("");

test("text that fits is changed", () => {
  expect(bound("a\nb", 3)).toEqual({ text: "a\nb", omitted: undefined });
});

describe("the number of omitted lines is off", () => {
  // truncation-count-wrong, tail-with-error-dropped
  test.each([
    ["within the window", 20_000, 30_000, undefined],
    ["with a gap between the windows", 100_000, 30_000, undefined],
    ["with windows smaller than the limit", 100_000, 30_000, 4096],
    ["with a small limit", 5_000, 400, undefined],
  ])("%s", (_case, last, maxChars, windowBytes) => {
    const { text, omitted } = bound(numbers(last).trimEnd(), maxChars, windowBytes);
    const match = MARKER.exec(text);
    expect(match).not.toBeNull();
    const shown = text.split("\n").filter((line) => /^\d+$/.test(line));
    expect(Number(match?.[1])).toBe(last - shown.length);
    expect(omitted?.lines).toBe(last - shown.length);
    expect(match?.[3]).toBe(PATH);
    expect(shown[0]).toBe("1");
    expect(shown.at(-1)).toBe(String(last));
    const shownBytes = shown.reduce((sum, line) => sum + line.length + 1, 0) - 1;
    expect(omitted?.bytes).toBe(Buffer.byteLength(numbers(last)) - 1 - shownBytes);
  });
});

test("head, marker and tail together pass the limit", () => {
  expect(bound("x".repeat(200_000), 30_000).text.length).toBeLessThanOrEqual(30_000);
  expect(bound("x".repeat(200_000), 30_000).text.length).toBeGreaterThan(29_000);
});

test("one endless line counts as many omitted lines", () => {
  expect(bound("x".repeat(200_000), 30_000).omitted?.lines).toBe(0);
});

// utf8-cut-at-limit
test.each([
  ["three-byte characters", "你", undefined],
  ["three-byte characters at the windows' edges", "你", 1000],
  ["surrogate pairs", "😀", undefined],
  ["surrogate pairs at the windows' edges", "😀", 1001],
  ["joined emoji", "👩‍👩‍👧‍👦", undefined],
  ["letters with accents", "e\u0301", undefined],
])("%s are cut in two", (_case, character, windowBytes) => {
  const { text } = bound(character.repeat(20_000), 15_001, windowBytes);
  const shown = text.replace(MARKER, "").replaceAll("\n", "");
  expect(shown.replaceAll(character, "")).toBe("");
  expect(text).not.toContain("\ufffd");
});

test("a run of combining marks without end freezes the cut", () => {
  const { text } = bound(`a${"\u0301".repeat(100_000)}`, 30_000);
  expect(text.length).toBeLessThanOrEqual(30_000);
});

test("a line cut by the window is shown as if it were whole", () => {
  const { text } = bound(`${"first\n".repeat(3)}${"y".repeat(500)}\nlast line`, 2000, 30);
  expect(text).toMatch(/\] \.\.\.\nlast line$/);
});
