import { expect, test } from "vitest";
import { NO_PROGRESS, PROGRESS_FILTER, takeLine, type AgentProgress } from "../../src/agents/progress.ts";
import { judgeResult, type AgentEnd } from "../../src/agents/result.ts";

function after(...events: unknown[]): AgentProgress {
  return events.map((event) => JSON.stringify(event)).reduce(takeLine, NO_PROGRESS);
}

function says(text: string, stopReason = "stop", more: object = {}): unknown {
  const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 11, cost: { total: 0.5 } };
  return {
    type: "message_end",
    message: { role: "assistant", content: [{ type: "text", text }], stopReason, usage, ...more },
  };
}

const ENDED = { exit: { code: 0 }, reason: "natural" as const, errors: "" };

test("progress miscounts turns or tokens, or shows a tool that has ended", () => {
  const tool = { type: "tool_execution_start", toolName: "read" };
  const progress = after(says("a", "toolUse"), tool);
  expect(progress).toMatchObject({ turns: 1, currentTool: "read", usage: { totalTokens: 11, cost: { total: 0.5 } } });
  const later = [{ type: "tool_execution_end", toolName: "read" }, says("b")]
    .map((event) => JSON.stringify(event))
    .reduce(takeLine, progress);
  expect(later).toMatchObject({ turns: 2, currentTool: undefined, lastText: "b", usage: { totalTokens: 22 } });
});

test("an agent with several tools at once shows none when one of them has ended", () => {
  const start = (toolCallId: string, toolName: string) => ({ type: "tool_execution_start", toolCallId, toolName });
  const end = (toolCallId: string) => ({ type: "tool_execution_end", toolCallId });
  const both = [start("1", "grep"), start("2", "read")];
  expect(after(...both).currentTool).toBe("read");
  expect(after(...both, end("2")).currentTool).toBe("grep");
  expect(after(...both, end("1")).currentTool).toBe("read");
  expect(after(...both, end("1"), end("2")).currentTool).toBeUndefined();
  expect(after(...both, end("1"), says("next")).currentTool).toBeUndefined();
});

test("a line that is no event, or a message of somebody else, changes the progress", () => {
  for (const line of [
    "",
    "{",
    "null",
    "[]",
    '"x"',
    '{"type":"message_end"}',
    '{"type":"message_end","message":{"role":"user"}}',
  ]) {
    expect(takeLine(NO_PROGRESS, line)).toBe(NO_PROGRESS);
  }
  expect(takeLine(NO_PROGRESS, '{"type":"message_end","message":{"role":"assistant"}}')).toMatchObject({
    turns: 1,
    lastText: "",
  });
});

test("an agent that did not end cleanly is taken to have reported", () => {
  expect(judgeResult(after(says("The report.")), ENDED)).toEqual({ kind: "reported", report: "The report." });
  const failures: [AgentProgress, Partial<AgentEnd>, string, RegExp][] = [
    [
      after(),
      { exit: { code: 1 }, errors: "no such extension" },
      "failed",
      /could not start.*code 1\.\nno such extension/,
    ],
    [after(says("half", "length")), {}, "failed", /cut at the model's limit\nIts last words: half/],
    [after(says("", "error", { errorMessage: "overloaded" })), {}, "failed", /model failed: overloaded/],
    [after(says("no", "refusal")), {}, "failed", /stopped \(refusal\)/],
    [after(says("x", "aborted")), {}, "failed", /aborted/],
    [after(says("x", "toolUse")), {}, "failed", /in the middle/],
    [after(says(" ")), {}, "failed", /without a word/],
    [after(says("fine")), { exit: { code: 3 }, errors: "boom" }, "failed", /exit code 3\.\nboom/],
    [after(says("fine")), { reason: "stop", exit: { code: 143 } }, "killed", /ended \(stop\)/],
    [after(says("fine")), { exit: { signal: 9 } }, "killed", /signal 9/],
  ];
  for (const [progress, end, kind, failure] of failures) {
    const result = judgeResult(progress, { ...ENDED, ...end });
    expect(result.kind).toBe(kind);
    expect("failure" in result && result.failure).toMatch(failure);
  }
});

test("tokens that a tool of the agent has used are not counted, or count as a turn", () => {
  const usage = { input: 7, totalTokens: 8 };
  const result = JSON.stringify({ type: "message_end", message: { role: "toolResult", content: [], usage } });
  const plain = JSON.stringify({ type: "message_end", message: { role: "toolResult", content: [] } });
  expect(new RegExp(PROGRESS_FILTER).test(result)).toBe(true);
  expect(new RegExp(PROGRESS_FILTER).test(plain)).toBe(false);
  expect([plain, result].reduce(takeLine, NO_PROGRESS)).toEqual({
    ...NO_PROGRESS,
    usage: { ...NO_PROGRESS.usage, input: 7, totalTokens: 8 },
  });
});
