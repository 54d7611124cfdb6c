import { describe, expect, test } from "vitest";
import { formatBashResult, type BashResultFacts } from "../../src/format/bash-result.ts";
import { capture } from "./capture.ts";

const PATH = "/tmp/picc-bash/s/tasks/l12345678.output";

function format(facts: Partial<Omit<BashResultFacts, "stdout" | "stderr">> & { stdout?: string; stderr?: string }) {
  const { stdout = "", stderr = "", ...rest } = facts;
  return formatBashResult({
    maxOutputChars: 30_000,
    outputPath: PATH,
    ...rest,
    stdout: capture(stdout),
    stderr: capture(stderr),
  });
}

test.each<[string, Parameters<typeof format>[0], string]>([
  ["silence reads as an empty text", { exitCode: 0 }, "(no output)"],
  ["only blank lines do not read as silence", { stdout: " \n\n", stderr: "\n", exitCode: 0 }, "(no output)"],
  ["a success says more than its output", { stdout: "hi\n", exitCode: 0 }, "hi"],
  ["leading blank lines or trailing blanks stay", { stdout: "\n \n  a\n\n", exitCode: 0 }, "  a"],
  ["stderr is missing or not trimmed", { stdout: "out\n", stderr: "\n  err \n", exitCode: 0 }, "out\nerr"],
  ["a failure hides its code", { stdout: "out", stderr: "err", exitCode: 2 }, "out\nerr\nExit code 2"],
  ["a silent failure reads as no output", { exitCode: 1 }, "Exit code 1"],
  ["a signal reads as success", { exitCode: 137 }, "Exit code 137"],
  [
    "an abort loses the output or shows an exit code",
    { stdout: "part", aborted: true, exitCode: 143 },
    "part\n<error>Command was aborted before completion</error>",
  ],
  [
    "a timeout loses the output or shows an exit code",
    { stdout: "part", timedOutAfterMs: 120_000, exitCode: 143 },
    "part\nCommand timed out after 2m 0s",
  ],
  [
    "abort and timeout together change their order",
    { aborted: true, timedOutAfterMs: 1000, exitCode: 143 },
    "<error>Command was aborted before completion</error>\nCommand timed out after 1s",
  ],
  ["a note hides that nothing was printed", { exitCode: 0, notes: ["Still running."] }, "(no output)\nStill running."],
])("%s", (_failure, facts, text) => {
  expect(format(facts).text).toBe(text);
});

test("an error at the end of a long output is cut off", () => {
  // tail-with-error-dropped
  const lines = Array.from({ length: 100_000 }, (_, index) => index + 1).join("\n");
  const { text, truncation } = format({ stdout: `${lines}\nFATAL\n`, exitCode: 1 });
  expect(text).toMatch(/^1\n2\n/);
  expect(text).toMatch(/\n100000\nFATAL\nExit code 1$/);
  expect(text).toContain(`omitted. Full output: ${PATH}] ...`);
  expect(truncation).toMatchObject({ reason: "output limit", totalLines: 100_001 });
});

describe("one stream pushes the other out", () => {
  test("a short stderr after a long stdout", () => {
    const { text } = format({ stdout: "x\n".repeat(100_000), stderr: "why it failed", exitCode: 1 });
    expect(text).toMatch(/\nwhy it failed\nExit code 1$/);
    expect(text.length).toBeLessThanOrEqual(30_000 + "\nExit code 1".length);
  });
  test("the end of stdout before a long stderr", () => {
    const { text } = format({
      stdout: `${"x\n".repeat(100_000)}end of stdout`,
      stderr: `${"y\n".repeat(100_000)}end of stderr`,
    });
    expect(text).toContain("\nend of stdout\n");
    expect(text).toMatch(/\nend of stderr$/);
    expect(text.length).toBeLessThanOrEqual(30_000);
  });
  test("a short stdout before a long stderr", () => {
    const { text } = format({ stdout: "kept", stderr: "y\n".repeat(100_000) });
    expect(text.startsWith("kept\ny\n")).toBe(true);
  });
});

test("binary output crashes the result or hides its words", () => {
  // invalid-bytes-crash
  const noise = Uint8Array.from({ length: 200_000 }, (_, index) => (index * 7919 + (index >> 3)) & 0xff);
  const stdout = Buffer.concat([Buffer.from("ok\xff\xfe\0", "latin1"), noise, Buffer.from("\nend")]);
  const { text } = formatBashResult({
    stdout: capture(stdout),
    stderr: capture(""),
    maxOutputChars: 30_000,
    outputPath: PATH,
    exitCode: 0,
  });
  expect(text).toContain("ok\ufffd\ufffd");
  expect(text).toMatch(/end$/);
  expect(text).not.toContain("\0");
  expect(text.length).toBeLessThanOrEqual(30_000);
});
