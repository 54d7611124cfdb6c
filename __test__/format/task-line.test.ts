import { expect, test } from "vitest";
import { formatTaskLine } from "../../src/format/task-line.ts";

const line = (subject: string, owner?: string): string =>
  formatTaskLine({ id: "1", status: "pending", subject, owner, blockedBy: [] });

test("a subject or an owner takes several lines", () => {
  expect(line("a \r\n \n\tb\u2028c", "x\u0085y")).toBe("#1 [pending] a b c (x y)");
});

test("blanks that break no line are changed", () => {
  expect(line("  a \t b  ")).toBe("#1 [pending]   a \t b  ");
});

test("a subject of blanks blocks the host", () => {
  const startedAt = performance.now();
  expect(line(" ".repeat(100_000), "\t".repeat(100_000))).toHaveLength(200_016);
  // Linear work takes a millisecond; quadratic work takes half a minute.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
