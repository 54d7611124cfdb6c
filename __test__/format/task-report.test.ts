import fc from "fast-check";
import { expect, test } from "vitest";
import { fence, formatAgentReport, formatCommandReport, outputInReport } from "../../src/format/task-report.ts";

const facts = { title: "Build", script: "make", outcome: "exited" as const, exitCode: 0, durationMs: 1234 };

test("output breaks out of its fence", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("`", "\n", "a", "```", " ")), (parts) => {
      const text = parts.join("");
      const [first = "", ...rest] = fence(text, "").split("\n");
      expect(first).toMatch(/^`{3,}$/);
      expect(rest.slice(0, -1).some((line) => line.includes(first))).toBe(false);
      expect(rest.at(-1)).toBe(first);
    }),
  );
});

test("an output with very many backticks has no report", () => {
  expect(fence("` ".repeat(150_000), "")).toMatch(/^```\n` ` [` ]*\n```$/);
});

test("a report lacks a part, or says it twice", () => {
  expect(formatCommandReport({ ...facts, output: "ok" })).toBe(
    "## Build\n\n```bash\nmake\n```\n\nExit code 0 · 1.2s\n\n```\nok\n```",
  );
  expect(formatCommandReport({ ...facts, output: "" })).toMatch(/1\.2s\n\n\(no output\)$/);
  expect(formatCommandReport({ ...facts, exitCode: undefined, outcome: "killed" })).toMatch(
    /Killed · Exit code unknown · 1\.2s$/,
  );
  expect(outputInReport(formatCommandReport({ ...facts, output: "a\n\n```\nb" }))).toBe("a\n\n```\nb");
  expect(outputInReport(formatCommandReport(facts))).toBe("");
});

test("a title makes a second heading", () => {
  expect(formatAgentReport({ title: "a\n# b", report: "r" })).toBe("## a # b\n\nr");
});
