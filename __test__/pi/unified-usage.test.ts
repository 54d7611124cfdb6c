// What agents have used, in a real pi: all of it is in the session of the one that started them.
import { expect, test } from "vitest";
import { startPiRpc, type PiRpc, type Turn } from "./harness/index.ts";
import type { PiUnderTest } from "./harness/pi-under-test.ts";
import { agent, awaitTasks, call, command, list, rows, startTask, terminate, UNIFIED } from "./unified.ts";

/** Each answer of the scripted model. */
const TOKENS_PER_ANSWER = 110;
const POLL = { timeout: 30_000 };

async function start(child: Turn[], grandchild: Turn[] = []): Promise<PiRpc> {
  return startPiRpc({ ...UNIFIED, script: { parent: [], child, grandchild } });
}

/** Answers of agents that are accounted for in the results of the session's tools. */
function countedAnswers(pi: PiUnderTest): number {
  const tokens = pi
    .sessions()
    .flatMap(({ entries }) => entries)
    .map((entry) =>
      entry.type === "message" && entry.message.role === "toolResult" ? (entry.message.usage?.totalTokens ?? 0) : 0,
    );
  return tokens.reduce((sum, more) => sum + more, 0) / TOKENS_PER_ANSWER;
}

test("what an agent's own agents have used is not counted", async () => {
  const pi = await start(
    [agent({ subagent_type: "grandchild" }), { text: "done" }],
    [command("true"), { text: "deep" }],
  );
  await call(pi, agent());
  expect(countedAnswers(pi)).toBe(4);
});

test("what an agent has used that failed is not counted, or counted again when it is awaited", async () => {
  const pi = await start([command("true"), { status: 400, message: "no credit" }]);
  const failed = await call(pi, agent());
  expect(failed).toMatchObject({ isError: true });
  expect(failed.text).toContain("no credit");
  expect(countedAnswers(pi)).toBe(1);
  const [row] = rows(await call(pi, list("failed")));
  await call(pi, awaitTasks({ task_ids: [row?.["taskId"]] }));
  expect(countedAnswers(pi)).toBe(1);
});

test("what an agent has used that was ended or aborted is not counted, or counted twice", async () => {
  const pi = await start([command("true"), { hang: true }, command("true"), { hang: true }]);
  const taskId = await startTask(pi, agent({ run_in_background: true }));
  await expect.poll(() => pi.model.requests.filter(({ modelId }) => modelId === "child").length, POLL).toBe(2);
  expect(rows(await call(pi, terminate(taskId)))).toMatchObject([{ status: "terminated" }]);
  expect(countedAnswers(pi)).toBe(1);
  await call(pi, awaitTasks({ task_ids: [taskId] }));
  expect(countedAnswers(pi)).toBe(1);

  pi.model.push([agent()], "parent");
  await pi.prompt("go");
  await pi.waitFor("tool_execution_update", (event) => JSON.stringify(event.partialResult).includes("1 turn, 110"));
  await pi.abort();
  await pi.settled();
  const killed = rows(await call(pi, list("killed"))).map((row) => row["taskId"]);
  await call(pi, awaitTasks({ task_ids: killed }));
  expect(countedAnswers(pi)).toBe(2);
});

test("what an agent has used that nobody awaits is never counted", async () => {
  const pi = await start([{ text: "done" }]);
  await startTask(pi, agent({ run_in_background: true }));
  await expect.poll(async () => rows(await call(pi, list("reported"))).length, POLL).toBe(1);
  expect(countedAnswers(pi)).toBe(1);
});
