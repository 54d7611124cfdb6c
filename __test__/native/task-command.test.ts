// The tool task with kind "bash" on the real core, where something goes wrong that no pi of a test can bring about.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { resolveConfig } from "../../src/config.ts";
import type { TaskAnswer } from "../../src/format/task-answer.ts";
import { requestPromotionOfAll } from "../../src/runs/promotion.ts";
import type { Run } from "../../src/runs/run.ts";
import { stopTask } from "../../src/runs/stop.ts";
import type { BashArguments } from "../../src/schema/bash.ts";
import { CallFailures } from "../../src/tools/call-failures.ts";
import { executeAwait } from "../../src/tools/unified-await/execute.ts";
import { runCommand, type CommandContext } from "../../src/tools/unified-task/run-command.ts";
import type { TaskTool } from "../../src/tools/unified-task/task-tool.ts";
import type { AwaitRow } from "../../src/unified/await-row.ts";
import { UnifiedSession, unifiedService } from "../../src/unified/session.ts";
import { bash, SESSION_ID, useBench, waitForEnd, waitForEvent, waitForText, withoutOutputFolders } from "./runs.ts";
import { recordOfCommand } from "./task-records.ts";

const bench = useBench();
const posix = process.platform !== "win32";

function tool(): TaskTool {
  const session = new UnifiedSession(unifiedService(bench), SESSION_ID, 1_000);
  return {
    config: { ...resolveConfig({}, undefined, "").config, surface: "unified" },
    failures: new CallFailures(),
    session: () => session,
    shell: () => ({ shell: bench.bash, warnings: [] }),
    definitions: () => Promise.resolve(new Map()),
    ownExtensions: () => [],
  };
}

let calls = 0;

/** A call of `task` that waits, once its run has started. */
async function begin(script: string, timeoutSecs = 60): Promise<{ answer: Promise<TaskAnswer>; run: Run }> {
  const callId = `task_${++calls}`;
  // As pi makes the inner call.
  const executeTool = async (_name: string, args: unknown): Promise<{ result: object; isError: boolean }> => {
    const result = await bash(bench, args as BashArguments, { toolCallId: `${callId}/1` });
    return { result, isError: result.isError === true };
  };
  const context = { executeTool } as unknown as CommandContext;
  const request = { kind: "bash" as const, script, timeoutSecs, displayName: "A command", background: false };
  const answer = runCommand(tool(), callId, request, undefined, undefined, context);
  const run = bench.registry.inForeground().at(-1);
  if (run === undefined) throw new Error("no command is waited for");
  await waitForEvent(bench, run.id, "started");
  return { answer, run };
}

async function awaitTask(taskId: string, timeoutSecs: number): Promise<AwaitRow | undefined> {
  const args = { task_ids: [taskId], timeout_secs: timeoutSecs, min_completed: 1 };
  const { details } = await executeAwait(tool(), args, undefined, { hasPendingMessages: () => false });
  return details.tasks[0];
}

test("a record that was damaged ends pi, or costs the rows of other tasks", async () => {
  const { sessionId, parts } = tool().session();
  const [damaged, whole] = ["ldamaged1", "lwhole001"].map((runId) => {
    const record = recordOfCommand({ runId, sessionId, script: "make", state: "ended", outcome: "exited" });
    parts.journal.write(runId === "ldamaged1" ? { ...record, script: 7 as unknown as string } : record);
    return record.taskId;
  });
  const args = { task_ids: [String(damaged), String(whole)] };
  const { details } = await executeAwait(tool(), args, undefined, { hasPendingMessages: () => false });
  expect(details.tasks).toMatchObject([
    { status: "error", taskId: damaged },
    { status: "completed", taskId: whole },
  ]);
});

// On Windows the supervisor is a thread of this process.
test.runIf(posix)("a task whose supervisor was killed is reported as one that has printed nothing", async () => {
  const go = path.join(bench.cwd, "go");
  const { answer, run } = await begin(`echo printed; until [ -e '${go}' ]; do sleep 0.02; done; kill -9 $PPID; sleep 3671.5`);
  await waitForText(run.outputPath, "printed");
  writeFileSync(go, "");
  expect(await answer).toMatchObject({
    status: "completed",
    reportMarkdown: expect.stringContaining(
      `<error>The supervisor of this command was lost: how the command ended is not known. What it printed is in: ${run.outputPath}</error>\n\n(no output)`,
    ) as string,
  });
});

test("a task that a person has moved to the background is said to have been moved by a message", async () => {
  for (const [cause, words] of [
    ["person", "The user moved it to the background."],
    ["message", "The user has sent a message, so it was moved to the background."],
  ] as const) {
    const { answer, run } = await begin("sleep 3672.5");
    requestPromotionOfAll(bench.registry, cause);
    expect(await answer).toMatchObject({ status: "running", note: expect.stringContaining(words) as string });
    await stopTask(bench.registry, run.id, { graceMs: 0 });
  }
});

test("a task that was moved to the background outlives its timeout", async () => {
  const { answer, run } = await begin("sleep 3673.5", 3);
  expect(requestPromotionOfAll(bench.registry, "person")).toBe(1);
  expect(await answer).toMatchObject({ status: "running" });
  await waitForEnd(bench, run.id);
  expect(bench.notifier.take(SESSION_ID)?.content).toContain("was stopped by its timeout");
  expect(await awaitTask(`bash:${run.id}`, 0)).toMatchObject({ status: "completed", outcome: "timed_out" });
});

// On Windows a command is read from a file, and without a place for it there is none.
test.runIf(posix)("a task without a file names an empty path, or nobody says that its output is lost", async () => {
  onTestFinished(withoutOutputFolders());
  const { answer, run } = await begin("seq 1 20000; until [ -e over ]; do sleep 0.02; done; exit 3");
  expect(requestPromotionOfAll(bench.registry, "person")).toBe(1);
  const moved = await answer;
  const lost = "Its further output is lost: no file could be made for it.";
  expect(moved).toMatchObject({ status: "running", note: expect.stringContaining(lost) as string });
  expect(moved).not.toHaveProperty("outputPath");
  const taskId = `bash:${run.id}`;
  expect(await awaitTask(taskId, 0)).toMatchObject({ status: "running", note: lost });
  writeFileSync(path.join(bench.cwd, "over"), "");
  expect(await awaitTask(taskId, 60)).toMatchObject({ status: "completed", exitCode: 3, note: lost });
  await waitForEnd(bench, run.id);
});

test.runIf(posix)("a report without all of the output does not say why there is no more of it", async () => {
  onTestFinished(withoutOutputFolders());
  const { answer } = await begin("seq 1 20000");
  expect(await answer).toMatchObject({
    status: "completed",
    reportMarkdown: expect.stringMatching(/<error>The full output could not be written to .*picc-bash/) as string,
  });
});
