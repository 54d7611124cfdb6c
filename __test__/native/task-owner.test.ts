// Whose a task is that a record on disk speaks of: the cases that no pi of a test can bring about.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { AgentPool } from "../../src/agents/pool.ts";
import { ownIdentity } from "../../src/processes/identity.ts";
import { outputFolders } from "../../src/runs/output-paths.ts";
import { TaskJournal } from "../../src/unified/journal.ts";
import { TaskBook } from "../../src/unified/task-book.ts";
import { useBench } from "./runs.ts";
import { recordOfCommand } from "./task-records.ts";

const bench = useBench();

const MINUTE_MS = 60_000;
const { place, startedAt } = ownIdentity();
/** As on Windows, where nothing tells one process of a number from the next. */
const here = { pid: process.ppid, place };
const elsewhere = { pid: process.pid, place: `${place} of another container`, startedAt };

let sessions = 0;

/** A record as another process has left it, and the book of a session that is opened then. */
function openAfter(changes: object): { book: TaskBook; file: string; runId: string } {
  const sessionId = `session-${++sessions}`;
  const runId = `lrecord${sessions}`;
  const record = recordOfCommand({ runId, sessionId, startedAtMs: 1 });
  const folder = path.join(bench.outputBase, ...outputFolders(sessionId));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${runId}.task.json`);
  writeFileSync(file, JSON.stringify({ ...record, ...changes }));
  const parts = { service: bench, pool: new AgentPool(bench), journal: new TaskJournal(bench.addon) };
  const book = new TaskBook(parts, sessionId, { taskId: undefined, depth: 0, sessions: [] });
  book.enter();
  return { book, file, runId };
}

const gone: [string, object][] = [
  ["has no owner, as before there were owners", {}],
  ["has an owner that is no process", { owner: { pid: "7", place, seenAtMs: Date.now() } }],
  ["was of a pi in a container that was started anew", { owner: { ...elsewhere, seenAtMs: Date.now() - 3 * MINUTE_MS } }],
  ["was of a pi whose number is another's by now", { owner: { ...here, seenAtMs: Date.now() - 3 * MINUTE_MS } }],
];
if (startedAt !== undefined) {
  gone.push(["was of a pi that has ended", { owner: { ...here, startedAt: "1", seenAtMs: Date.now() } }]);
}

test.each(gone)("a task runs for ever that %s", (_why, changes) => {
  const { book, file, runId } = openAfter(changes);
  expect(book.get(runId)).toMatchObject({ state: "ended", outcome: "killed" });
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ state: "ended", owner: ownIdentity() });
  book.retire();
});

test.each([
  ["in another container", elsewhere],
  ["on Windows", here],
])("a task of a living pi %s is taken for killed, or its record is written over", (_where, owner) => {
  const { book, file, runId } = openAfter({ owner: { ...owner, seenAtMs: Date.now() - MINUTE_MS } });
  const before = readFileSync(file, "utf8");
  const record = book.get(runId);
  if (record === undefined) throw new Error("the task is not there");
  expect(record.state).toBe("running");
  book.note(record, { readTo: 7 });
  expect(book.active()).toEqual([]);
  expect(readFileSync(file, "utf8")).toBe(before);
  // What the owner writes is seen.
  writeFileSync(file, JSON.stringify({ ...record, state: "ended", outcome: "exited", exitCode: 0 }));
  book.refresh();
  expect(book.get(runId)).toMatchObject({ state: "ended", outcome: "exited" });
  book.retire();
});
