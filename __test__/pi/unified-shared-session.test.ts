// One session that is open in two pis at once, as with `pi --continue` in a second terminal.
import { onTestFinished, expect, test } from "vitest";
import { PiRpc } from "./harness/pi-rpc.ts";
import { setStage, type Stage } from "./harness/pi-under-test.ts";
import { agent, awaitTasks, background, call, list, rows, startTask, terminate, told, UNIFIED } from "./unified.ts";

/** A pi beside the first; only that one ends the model and the home. */
async function openBeside(first: PiRpc, stage: Stage): Promise<PiRpc> {
  const pi = new PiRpc({ ...stage, piArgs: [...stage.piArgs, "--session", await first.sessionId()] });
  onTestFinished(async () => {
    pi.closeInput();
    await pi.exited();
  });
  expect(await pi.sessionId()).toBe(await first.sessionId());
  return pi;
}

async function openFirst(env: Record<string, string> = {}): Promise<{ stage: Stage; first: PiRpc }> {
  const script = { parent: [], child: [{ hang: true as const }] };
  const stage = await setStage({ ...UNIFIED, env: { ...UNIFIED.env, ...env }, script });
  const first = new PiRpc(stage);
  onTestFinished(() => first.stop());
  return { stage, first };
}

const untilFile = (name: string): string => `while [ ! -e ${name} ]; do sleep 0.02; done`;

// faults: list-and-await-disagree
test("a second pi of a session takes what the first one runs for killed, or cannot wait for it", async () => {
  const { stage, first } = await openFirst({ PICC_BASH_NOTIFY: "0" });
  const printing = await startTask(
    first,
    background(`echo one; ${untilFile("go")}; echo two; ${untilFile("over")}; exit 3`),
  );
  const hanging = await startTask(first, agent({ run_in_background: true }));
  const second = await openBeside(first, stage);
  const note = `It belongs to another pi of this session (process ${first.pid}).`;
  for (const answer of [await call(second, list()), await call(second, awaitTasks({ timeout_secs: 0 }))]) {
    expect(rows(answer)).toMatchObject([
      { taskId: printing, status: "running", note },
      { taskId: hanging, status: "running", note },
    ]);
  }
  expect(rows(await call(first, list()))).toMatchObject([{ status: "running" }, { status: "running" }]);
  // It goes on in both.
  first.home.write("go", "");
  expect(rows(await call(second, awaitTasks({ task_ids: [printing] })))).toMatchObject([{ output: "two" }]);
  const end = { status: "completed", outcome: "exited", exitCode: 3 };
  first.home.write("over", "");
  expect(rows(await call(second, awaitTasks({ task_ids: [printing], min_completed: 1 })))).toMatchObject([end]);
  expect(rows(await call(first, awaitTasks({ task_ids: [printing] })))).toMatchObject([end]);
  // What it starts meanwhile is a task of the session, too; and a wait does not outlive the pi that is waited for.
  const later = await startTask(first, background("exec sleep 600", { display_name: "Later" }));
  expect(rows(await call(second, list()))).toMatchObject([{ taskId: hanging }, { taskId: later, note }]);
  const wait = call(second, awaitTasks({ task_ids: [hanging, later], min_completed: 2 }));
  await second.waitFor("tool_execution_start", ({ args }) => JSON.stringify(args).includes('"min_completed":2'));
  first.signal("SIGKILL");
  expect(rows(await wait)).toMatchObject([
    { taskId: hanging, status: "completed", outcome: "killed" },
    { taskId: later, status: "completed", outcome: "killed" },
  ]);
  expect(rows(await call(second, list()))).toEqual([]);
});

test("a second pi of a session cannot end what the first one runs, or the first one's model is not told", async () => {
  const { stage, first } = await openFirst();
  const sleeping = await startTask(first, background("exec sleep 600"));
  const hanging = await startTask(first, agent({ run_in_background: true }));
  const second = await openBeside(first, stage);
  // Both pis ask one model, and the first one is woken once or twice: the script has a turn for nothing but the call.
  first.model.push([{ calls: [terminate(sleeping, hanging)] }]);
  await second.run("go on");
  const [result] = second.toolResults().filter(({ tool }) => tool === "task_terminate");
  expect(rows(result)).toEqual([
    { status: "terminated", taskId: sleeping, terminatedTaskIds: [sleeping] },
    { status: "terminated", taskId: hanging, terminatedTaskIds: [hanging] },
  ]);
  await told(first, sleeping, hanging);
  for (const pi of [first, second]) {
    expect(rows(await call(pi, list("killed")))).toMatchObject([{ taskId: sleeping }, { taskId: hanging }]);
  }
});

test("a pi does not end what it runs in a session that it has left, or its model is not told there", async () => {
  const { stage, first } = await openFirst();
  const sleeping = await startTask(first, background("exec sleep 600"));
  const { sessionFile = "" } = (await first.send({ type: "get_state" })).data;
  const second = await openBeside(first, stage);
  await first.newSession();
  expect(rows(await call(second, terminate(sleeping)))).toEqual([
    { status: "terminated", taskId: sleeping, terminatedTaskIds: [sleeping] },
  ]);
  await first.send({ type: "switch_session", sessionPath: sessionFile });
  await told(first, sleeping);
});
