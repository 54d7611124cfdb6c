import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { lastSnapshot } from "../../src/tasks/session-copy.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { create, createDesk, openOwn, subjects, update, type Desk } from "./session-double.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const fileOf = (desk: Desk): string => path.join(desk.context.root, desk.manager.getSessionId(), "tasks.json");

/** The next process with the same session. */
const restarted = (desk: Desk): Desk => createDesk(desk.context.root, desk.manager);

async function goTo(store: TaskStore, desk: Desk, place: string): Promise<void> {
  await store.beforeRewind();
  desk.manager.branch(place);
  await store.rewind();
}

test("a list is not in both places, or readable by others", async () => {
  const desk = createDesk(temporaryFolder());
  const store = await openOwn(desk);
  await create(store, "a");
  await update(store, "1", { status: "completed" });
  const expected = { tasks: store.list.tasks, highWaterMark: 1, revision: 2 };
  expect(desk.manager.getBranch().map((entry) => (entry.type === "custom" ? entry.data : undefined))).toEqual([
    { tasks: [{ ...store.list.tasks[0], status: "pending" }], highWaterMark: 1, revision: 1 },
    expected,
  ]);
  expect(JSON.parse(readFileSync(fileOf(desk), "utf8"))).toEqual(expected);
  expect(statSync(fileOf(desk)).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(fileOf(desk))).mode & 0o777).toBe(0o700);
  expect(readdirSync(path.dirname(fileOf(desk)))).toEqual(["tasks.json"]);
});

// faults: list-gone-after-resume
test("after a resume the list is gone, or ids start again", async () => {
  const desk = createDesk(temporaryFolder());
  const store = await openOwn(desk);
  for (const subject of ["a", "b", "c"]) await create(store, subject);
  const resumed = await openOwn(restarted(desk));
  expect(subjects(resumed.list)).toEqual(["1 a", "2 b", "3 c"]);
  expect((await create(resumed, "d")).id).toBe("4");
});

// faults: parallel-create-order
test("eleven creates in one turn get their ids in another order than they were called", async () => {
  const store = await openOwn(createDesk(temporaryFolder()));
  const calls = Array.from({ length: 11 }, (_, index) => create(store, `t${index + 1}`));
  const listed = store.read();
  expect((await Promise.all(calls)).map(({ id }) => id)).toEqual(calls.map((_, index) => String(index + 1)));
  expect(subjects(await listed).at(-1)).toBe("11 t11");
});

// faults: rewind-keeps-future-tasks
test("going back in the tree keeps later tasks, gives their ids again, or a restart brings them back", async () => {
  const desk = createDesk(temporaryFolder());
  const store = await openOwn(desk);
  await create(store, "a");
  const afterFirst = desk.manager.getLeafId() ?? "";
  await create(store, "b");
  const afterSecond = desk.manager.getLeafId() ?? "";

  desk.manager.branchWithSummary(afterFirst, "went back");
  await store.beforeRewind();
  await store.rewind();
  expect(subjects(store.list)).toEqual(["1 a"]);
  expect(subjects((await openOwn(restarted(desk))).list)).toEqual(["1 a"]);

  expect((await create(store, "c")).id).toBe("3");
  expect(subjects((await openOwn(restarted(desk))).list)).toEqual(["1 a", "3 c"]);
  desk.manager.branch(afterSecond);
  await store.rewind();
  expect(subjects(store.list)).toEqual(["1 a", "2 b"]);
  expect((await create(store, "d")).id).toBe("4");
});

test("going back before the first task leaves it in the list", async () => {
  const desk = createDesk(temporaryFolder());
  const store = await openOwn(desk);
  await create(store, "a");
  desk.manager.resetLeaf();
  await store.rewind();
  expect(store.list.tasks).toEqual([]);
  expect((await create(store, "b")).id).toBe("2");
});

// faults: rewind-keeps-future-tasks (the fork half)
test("a fork starts without the list, or its changes show up in the parent", async () => {
  const root = temporaryFolder();
  const folder = temporaryFolder();
  const manager = SessionManager.create(folder, folder);
  manager.appendMessage({ role: "user", content: "hi", timestamp: 0 });
  const parent = createDesk(root, manager);
  const store = await openOwn(parent);
  await create(store, "a");
  const leaf = manager.getLeafId() ?? "";
  await create(store, "after the fork point");
  const file = manager.getSessionFile() ?? "";
  const child = createDesk(root, SessionManager.open(file, folder));
  child.manager.createBranchedSession(leaf);
  expect(child.manager.getSessionId()).not.toBe(manager.getSessionId());

  const forked = await openOwn(child);
  expect(subjects(forked.list)).toEqual(["1 a"]);
  await update(forked, "1", { subject: "changed in the fork" });
  await update(store, "1", { status: "completed" });
  expect(subjects((await openOwn(restarted(parent))).list)).toEqual(["1 a", "2 after the fork point"]);
  expect((await openOwn(restarted(child))).list.tasks).toMatchObject([
    { subject: "changed in the fork", status: "pending" },
  ]);
});

test("a change whose entry could not be appended is lost, or nobody is told", async () => {
  const desk = createDesk(temporaryFolder());
  const store = await openOwn(desk);
  await create(store, "a");
  desk.appendFails = true;
  expect(await update(store, "1", { status: "completed" })).toMatch(/could not be written to the session \(ENOSPC\)/);
  expect((await openOwn(restarted(desk))).list.tasks).toMatchObject([{ status: "completed" }]);
});

test("an entry that could not be appended is lost when going elsewhere in the tree and back", async () => {
  const desk = createDesk(temporaryFolder());
  const store = await openOwn(desk);
  await create(store, "a");
  const place = desk.manager.getLeafId() ?? "";
  desk.appendFails = true;
  await update(store, "1", { subject: "b" });
  desk.appendFails = false;
  await store.beforeRewind();
  expect(lastSnapshot(desk.manager.getBranch(), undefined)?.list.tasks).toMatchObject([{ subject: "b" }]);
  desk.manager.branch(place);
  await store.rewind();
  expect(subjects(store.list)).toEqual(["1 a"]);
});

test("a change whose entry could not be appended comes back at a start elsewhere in the tree", async () => {
  const desk = createDesk(temporaryFolder());
  const store = await openOwn(desk);
  await create(store, "a");
  const place = desk.manager.getLeafId() ?? "";
  await create(store, "b");
  desk.appendFails = true;
  await create(store, "never appended");
  desk.manager.branchWithSummary(place, "went back");
  await store.beforeRewind();
  await store.rewind();
  desk.appendFails = false;
  const restartedStore = await openOwn(restarted(desk));
  expect(subjects(restartedStore.list)).toEqual(["1 a"]);
  expect((await create(restartedStore, "c")).id).toBe("4");
});

test("a change whose entry could not be appended is taken along, or lost, by a pi that starts with it and goes elsewhere", async () => {
  const desk = createDesk(temporaryFolder());
  const store = await openOwn(desk);
  await create(store, "a");
  const place = desk.manager.getLeafId() ?? "";
  await create(store, "b");
  desk.appendFails = true;
  await create(store, "only on disk");

  const full = restarted(desk);
  full.appendFails = true;
  await goTo(await openOwn(full), full, place);
  expect(subjects((await openOwn(restarted(full))).list)).toEqual(["1 a"]);
});

test("an entry that could not be appended is not made up for by the next pi before it goes elsewhere", async () => {
  const desk = createDesk(temporaryFolder());
  const store = await openOwn(desk);
  await create(store, "a");
  const place = desk.manager.getLeafId() ?? "";
  desk.appendFails = true;
  await create(store, "only on disk");

  const next = restarted(desk);
  await goTo(await openOwn(next), next, place);
  const entries = next.manager.getEntries();
  expect(lastSnapshot(entries, undefined)?.list.tasks).toMatchObject([{ subject: "a" }, { subject: "only on disk" }]);
});

// faults: torn-file
test("a torn, empty or foreign file wipes the list, is overwritten without a word, or is warned of twice", async () => {
  for (const damage of [
    (file: string) => {
      truncateSync(file, 10);
    },
    (file: string) => {
      truncateSync(file, 0);
    },
    (file: string) => {
      writeFileSync(file, '{"mine":true}');
    },
  ]) {
    const desk = createDesk(temporaryFolder());
    await create(await openOwn(desk), "a");
    damage(fileOf(desk));
    const damaged = readFileSync(fileOf(desk), "utf8");
    const next = restarted(desk);
    const store = await openOwn(next);
    expect(subjects(store.list)).toEqual(["1 a"]);
    expect(next.warnings).toHaveLength(1);
    await create(store, "b");
    await openOwn(restarted(desk));
    expect(next.warnings).toHaveLength(1);
    const aside = readdirSync(path.dirname(fileOf(desk))).find((name) => name.startsWith("tasks.damaged-"));
    expect(readFileSync(path.join(path.dirname(fileOf(desk)), aside ?? ""), "utf8")).toBe(damaged);
  }
});

test("a home that cannot be written to makes the list unusable, or is not mentioned", async () => {
  const blocked = path.join(temporaryFolder(), "file");
  writeFileSync(blocked, "");
  const desk = createDesk(path.join(blocked, "tasks"));
  const store = await openOwn(desk);
  const { id, note } = await create(store, "a");
  expect(id).toBe("1");
  expect(note).toMatch(/could not be written \(ENOTDIR\); the list is kept in the session/);
  expect(subjects((await openOwn(restarted(desk))).list)).toEqual(["1 a"]);
  desk.appendFails = true;
  expect((await create(store, "b")).note).toMatch(/in memory only and will be lost/);
});

test("the snapshots of a shared list are taken for the session's own", async () => {
  const desk = createDesk(temporaryFolder());
  desk.manager.appendCustomEntry("picc-tasks-state", {
    tasks: [{ id: "5", subject: "theirs", description: "" }],
    highWaterMark: 5,
    revision: 9,
    listId: "team",
  });
  const store = await openOwn(desk);
  expect(store.list.tasks).toEqual([]);
  expect((await create(store, "mine")).id).toBe("1");
});

test("earlier entries change when a task is changed later", async () => {
  const desk = createDesk(temporaryFolder());
  const store = await openOwn(desk);
  await create(store, "a");
  const before = JSON.stringify(desk.manager.getEntries()[0]);
  await update(store, "1", { subject: "b", metadata: { x: 1 } });
  await update(store, "1", { status: "deleted" });
  expect(JSON.stringify(desk.manager.getEntries()[0])).toBe(before);
});

test("the screen learns of a change only when the disk has it", async () => {
  const desk = createDesk(temporaryFolder());
  mkdirSync(desk.context.root, { recursive: true });
  const store = await openOwn(desk);
  await create(store, "a");
  await update(store, "1", { subject: "a" });
  expect(desk.shown.map(subjects)).toEqual([["1 a"]]);
});

test("two pis that have one session open give one id to two tasks, or one of them loses the other's fallback copy", async () => {
  const root = temporaryFolder();
  const folder = temporaryFolder();
  const manager = SessionManager.create(folder, folder);
  manager.appendMessage({ role: "user", content: "hi", timestamp: 0 });
  const first = createDesk(root, manager);
  const store = await openOwn(first);
  await create(store, "before");
  const second = createDesk(root, SessionManager.open(manager.getSessionFile() ?? ""));
  const beside = await openOwn(second);
  expect(subjects(beside.list)).toEqual(["1 before"]);
  expect((await create(beside, "there")).id).toBe("2");
  expect((await create(store, "here")).id).toBe("3");
  expect((await create(beside, "there too")).id).toBe("4");
  // Each goes on from its own place in the tree, and so does the next pi: at what was written last.
  expect(subjects(store.list)).toEqual(["1 before", "3 here"]);
  await update(store, "3", { status: "completed" });
  const next = await openOwn(createDesk(root, SessionManager.open(manager.getSessionFile() ?? "")));
  expect(subjects(next.list)).toEqual(["1 before", "3 here"]);
  expect((await create(next, "later")).id).toBe("5");
  // What could not be appended is the newest copy, also when the other pi has made more changes before.
  await update(beside, "2", { status: "completed" });
  first.appendFails = true;
  await create(store, "nowhere else");
  const last = await openOwn(createDesk(root, SessionManager.open(manager.getSessionFile() ?? "")));
  expect(subjects(last.list)).toEqual(["1 before", "3 here", "6 nowhere else"]);
});
