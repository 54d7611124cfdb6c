// What the tool task makes of the answer of bash, for ends that no test can bring about.
import { expect, test } from "vitest";
import { EMPTY_SNAPSHOT } from "../../src/runs/foreground.ts";
import { newRun } from "../../src/runs/run.ts";
import { describeExit } from "../../src/tools/bash/answer.ts";
import { describeCommand } from "../../src/tools/unified-task/run-command.ts";

const facts = { id: "labcdefgh", task: { kind: "bash" as const, title: "A command" }, command: "make", sessionId: "s" };

test("a command that its timeout could not end is said to have been moved to the background", () => {
  const run = newRun({ ...facts, description: undefined, startedAtMs: 0, foreground: false, outputPath: "/tmp/x" });
  run.leftover = true;
  const answer = describeExit(
    {
      kind: "exited",
      exit: undefined,
      reason: "timeout",
      membersLeft: true,
      result: { state: "survivors", survivors: [{ pid: 7, command: "make", why: "uninterruptible" }] },
      captureError: undefined,
      snapshot: EMPTY_SNAPSHOT,
    },
    { run, maxOutputChars: 1000, timeoutMs: 1000, leftBehind: true, hasTaskStop: true },
  );
  const { text, details } = answer;
  const told = describeCommand("A command", { task: facts.task, run, answer }, { text, details });
  expect(told).toMatchObject({
    status: "completed",
    taskId: "bash:labcdefgh",
    timedOut: true,
    note: "Processes of this command are still running. task_await with bash:labcdefgh waits for it and gives its result; task_terminate ends it.",
    reportMarkdown: expect.stringContaining("1 processes could not be ended: 7 make (uninterruptible)") as string,
  });
});
