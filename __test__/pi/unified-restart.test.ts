// The same session in one pi after another: what was said of a task before has to hold after.
import { expect, onTestFinished, test } from "vitest";
import { PiRpc } from "./harness/pi-rpc.ts";
import { setStage, type Stage } from "./harness/pi-under-test.ts";
import { agent, awaitTasks, background, call, list, rows, startTask, UNIFIED } from "./unified.ts";

/** The first pi ends before the second starts; only the last one is stopped by the harness's rules. */
async function open(stage: Stage, args: string[] = []): Promise<PiRpc> {
  const pi = new PiRpc({ ...stage, piArgs: [...stage.piArgs, ...args] });
  await pi.sessionId();
  return pi;
}

// faults: running-for-ever-after-restart, list-and-await-disagree
test.for(["SIGTERM", "SIGKILL"] as const)("after %s a report is gone, or a task runs for ever", async (signal) => {
  const stage = await setStage({
    ...UNIFIED,
    script: { parent: [], child: [{ text: "Worth keeping." }, { hang: true }] },
  });
  const first = await open(stage);
  const reported = await startTask(first, agent({ run_in_background: true }));
  const one = awaitTasks({ task_ids: [reported], min_completed: 1 });
  const before = rows(await call(first, one));
  const printed = await startTask(first, background("echo before the end; sleep 600"));
  await call(first, awaitTasks({ task_ids: [printed] }));
  const hanging = await startTask(first, agent({ run_in_background: true, title: "Hanging" }));
  first.signal(signal);
  await first.exited();
  const second = await open(stage, ["--continue"]);
  onTestFinished(() => second.stop());
  expect(rows(await call(second, one))).toEqual(before);
  const awaited = rows(await call(second, awaitTasks({ task_ids: [printed, hanging], timeout_secs: 0 })));
  expect(awaited).toMatchObject([
    { taskId: printed, status: "completed", outcome: "killed" },
    { taskId: hanging, status: "completed", outcome: "killed" },
  ]);
  expect(awaited[0]).not.toHaveProperty("output");
  expect(rows(await call(second, list()))).toEqual([]);
  expect(rows(await call(second, list("killed", "reported"))).map((row) => row["taskId"])).toEqual([
    reported,
    printed,
    hanging,
  ]);
  expect(await second.waitForNoProcess(10_000)).toEqual([]);
});

// faults: cross-session-ids
test("another session of the same folder can read or end a task", async () => {
  const stage = await setStage({ ...UNIFIED, script: [] });
  const mine = await open(stage);
  const other = new PiRpc(stage);
  const taskId = await startTask(mine, background("echo mine; sleep 600"));
  expect(rows(await call(other, awaitTasks({ task_ids: [taskId], timeout_secs: 0 })))).toEqual([
    { status: "invalid_scope", taskId },
  ]);
  expect(rows(await call(other, { tool: "task_terminate", args: { task_ids: [taskId] } }))).toEqual([
    { status: "invalid_scope", taskId },
  ]);
  expect(rows(await call(other, list()))).toEqual([]);
  other.closeInput();
  await other.exited();
  expect(rows(await call(mine, list()))).toMatchObject([{ taskId, status: "running" }]);
  await call(mine, { tool: "task_terminate", args: { task_ids: [taskId] } });
  await mine.stop();
});
