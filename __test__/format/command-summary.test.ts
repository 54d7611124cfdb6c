import { expect, test } from "vitest";
import { summarizeCommand } from "../../src/format/command-summary.ts";

test.each([
  ["a short command is changed", "npm test", "npm test"],
  ["a script takes several rows", "cd x\n  make\tall\n", "cd x make all"],
  ["a long command takes several rows", "x".repeat(200), `${"x".repeat(79)}…`],
  ["an emoji is cut in half", "😀".repeat(100), `${"😀".repeat(79)}…`],
  ["control sequences reach the screen", "echo \x1b[2J\x1b]0;x\x07hi\0", "echo hi"],
])("%s", (_failure, command, summary) => {
  expect(summarizeCommand(command)).toBe(summary);
});

test("a script of 5 MB blocks the host", () => {
  const startedAt = performance.now();
  expect(Array.from(summarizeCommand("y ".repeat(2_500_000)))).toHaveLength(80);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
