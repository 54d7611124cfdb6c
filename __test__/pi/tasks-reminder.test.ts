// When the model is reminded of its list.
import { expect, test } from "vitest";
import { startPiRpc, type PiOptions, type PiRpc, type Turn } from "./harness/index.ts";

const list = { tool: "TaskList", args: {} };
const create = { tool: "TaskCreate", args: { subject: "a", description: "" } };
const times = <T>(count: number, turn: T): T[] => Array.from({ length: count }, () => turn);

async function start(options: Partial<PiOptions> = {}): Promise<PiRpc> {
  const extensions = ["dist/tasks.js", "__test__/pi/fixtures/session-moves.ts"];
  return startPiRpc({ extensions, script: [], ...options });
}

async function run(pi: PiRpc, turns: Turn[]): Promise<void> {
  pi.model.push([...turns]);
  await pi.prompt("go on");
  await pi.settled();
}

/** Numbers of the requests that carried the reminder, and how often each did. */
function reminded(pi: PiRpc): [number, number][] {
  return pi.model.requests.flatMap(({ number, messages }) => {
    const count = messages.filter(({ text }) => text.includes("The task list has not been updated")).length;
    return count === 0 ? [] : [[number, count] as [number, number]];
  });
}

// faults: reminder-noise
test("over 35 turns the reminder comes too early, too often, or stays in the conversation", async () => {
  const pi = await start();
  await run(pi, [...times(35, list), { text: "end" }]);
  expect(reminded(pi)).toEqual([
    [11, 1],
    [21, 1],
    [31, 1],
  ]);
  const reminder = pi.model.requests[10]?.messages.at(-1)?.text ?? "";
  expect(reminder).toContain("TaskList");
  expect(reminder).toContain("ignore this");
  expect(reminder).toContain("need not be mentioned");
});

// faults: reminder-noise
test("the reminder comes although the list is in use", async () => {
  const pi = await start();
  await run(pi, [...times(8, list), create, ...times(9, list), { text: "end" }]);
  expect(reminded(pi)).toEqual([]);
});

test("a reload, a resume or a fork starts the count again", async () => {
  const pi = await start();
  await run(pi, [create, ...times(3, list), { text: "end" }]);
  await pi.prompt("/reload-now");
  await run(pi, [...times(2, list), { text: "end" }]);
  const { sessionFile = "" } = (await pi.send({ type: "get_state" })).data;
  await pi.newSession();
  await pi.send({ type: "switch_session", sessionPath: sessionFile });
  await pi.send({ type: "clone" });
  // Seven responses since the create so far; three more, and the request after them.
  await run(pi, [...times(4, list), { text: "end" }]);
  expect(reminded(pi)).toEqual([[12, 1]]);
});

test("a reminder is lost with the request that failed", async () => {
  const pi = await start({ settings: { retry: { enabled: true, baseDelayMs: 1 } } });
  const overloaded = { status: 529, message: "overloaded" };
  await run(pi, [...times(10, list), overloaded, ...times(11, list), { text: "end" }]);
  expect(reminded(pi)).toEqual([
    [11, 1],
    [12, 1],
    [22, 1],
  ]);
});

test("the reminder comes with a prompt or ends a turn of words", async () => {
  const pi = await start();
  for (let index = 0; index < 12; index += 1) await run(pi, [{ text: "only words" }]);
  expect(reminded(pi)).toEqual([]);
  await run(pi, [list, { text: "end" }]);
  expect(reminded(pi)).toEqual([[14, 1]]);
});

test("the reminder comes although it is switched off, or points to tools that are not there", async () => {
  const off = await start({ env: { PI_TASKS_REMINDER: "0" } });
  await run(off, [...times(12, list), { text: "end" }]);
  expect(reminded(off)).toEqual([]);
  const partly = await start({ args: ["--tools", "TaskList"] });
  await run(partly, [...times(12, list), { text: "end" }]);
  expect(reminded(partly)).toEqual([]);
});
