// What the task list costs with 10,000 tasks. Prints a table; exit code 1 when a target is missed.
//
// Files go to a folder in memory (PI_FOREMAN_BENCH_DIR, or /dev/shm where there is one), so that fsync costs nothing and
// the rows show our own work. The best round is what the work costs; the median also shows how busy the machine is. pi's own share (it encodes and appends the session entry) is a row of its own.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { createTask } from "../src/tasks/create-task.ts";
import { stateEntry, STATE_ENTRY_TYPE } from "../src/tasks/session-copy.ts";
import { openSessionStore } from "../src/tasks/session-store.ts";
import { openSharedStore } from "../src/tasks/shared-store.ts";
import type { StoreContext } from "../src/tasks/store.ts";
import { EMPTY_LIST, type TaskList } from "../src/tasks/task.ts";
import { executeTaskCreate } from "../src/tools/task-create/execute.ts";
import { executeTaskList } from "../src/tools/task-list/execute.ts";
import { executeTaskUpdate } from "../src/tools/task-update/execute.ts";
import { cutToCells } from "../src/ui/cells.ts";
import { taskRows } from "../src/ui/task-rows.ts";

const TASKS = 10_000;
const ROUNDS = 60;

function bigList(): TaskList {
  let list: TaskList = EMPTY_LIST;
  const tasks = Array.from({ length: TASKS }, (_, index) => {
    const created = createTask(
      { ...EMPTY_LIST, highWaterMark: index },
      { subject: `Task number ${index} with a title of usual length`, description: "What has to be done. ".repeat(3) },
    );
    return created.task;
  });
  list = { ...list, tasks, highWaterMark: TASKS, revision: TASKS };
  return list;
}

interface Times {
  bestMs: number;
  medianMs: number;
}

async function timesOf(work: (round: number) => unknown): Promise<Times> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startMs = performance.now();
    await work(round);
    times.push(performance.now() - startMs);
  }
  times.sort((a, b) => a - b);
  return { bestMs: times[0] ?? NaN, medianMs: times[ROUNDS / 2] ?? NaN };
}

const base = process.env["PI_FOREMAN_BENCH_DIR"] ?? (existsSync("/dev/shm") ? "/dev/shm" : tmpdir());
const root = mkdtempSync(path.join(base, "foreman-bench-"));
const rows: [string, Times, number | undefined][] = [];
try {
  const list = bigList();
  const context: StoreContext = {
    root,
    session: {
      branch: () => [{ type: "custom", customType: STATE_ENTRY_TYPE, data: stateEntry(list, undefined) }],
      entries: () => [],
      append: () => undefined,
    },
    warn: (message) => process.stderr.write(`${message}\n`),
    onChange: () => undefined,
  };
  const own = await openSessionStore("own", context);
  const words = { subject: "One more", description: "text" };
  const quiet = { verificationNudge: true };
  await executeTaskCreate(own, words);
  rows.push(["TaskCreate", await timesOf(() => executeTaskCreate(own, words)), 5]);
  const update = (round: number) => ({ taskId: String(round + 100), status: "completed" as const, addBlocks: ["7"] });
  rows.push(["TaskUpdate", await timesOf((round) => executeTaskUpdate(own, update(round), quiet)), 5]);
  rows.push(["TaskList", await timesOf(() => executeTaskList(own)), 5]);

  const shared = await openSharedStore("shared", {
    ...context,
    session: {
      ...context.session,
      branch: () => [{ type: "custom", customType: STATE_ENTRY_TYPE, data: stateEntry(list, "shared") }],
    },
  });
  await executeTaskCreate(shared, words);
  rows.push(["TaskCreate, shared list", await timesOf(() => executeTaskCreate(shared, words)), 5]);
  rows.push(["TaskList, shared list", await timesOf(() => executeTaskList(shared)), 5]);

  const draw = () => taskRows(own.list, 20, false).map((row) => cutToCells(row.text, 120));
  rows.push(["widget refresh", await timesOf(draw), 2]);

  const manager = SessionManager.create(root, root);
  manager.appendMessage({ role: "user", content: "hi", timestamp: 0 });
  const append = () => manager.appendCustomEntry(STATE_ENTRY_TYPE, stateEntry(own.list, undefined));
  rows.push(["pi's own append of the snapshot", await timesOf(append), undefined]);
} finally {
  rmSync(root, { recursive: true, force: true });
}

let missed = false;
process.stdout.write(`task list, ${TASKS} tasks, ${ROUNDS} rounds; held against the target: the best round\n\n`);
for (const [what, { bestMs, medianMs }, targetMs] of rows) {
  const met = targetMs === undefined || bestMs <= targetMs;
  missed ||= !met;
  const target = targetMs === undefined ? "" : `≤ ${targetMs} ms  ${met ? "met" : "MISSED"}`;
  const columns = [`best ${bestMs.toFixed(2).padStart(6)} ms`, `median ${medianMs.toFixed(2).padStart(7)} ms`, target];
  process.stdout.write(`${what.padEnd(34)}${columns.join("   ")}\n`);
}
process.exitCode = missed ? 1 : 0;
