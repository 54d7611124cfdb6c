import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { create, createDesk, openOwn, openShared, subjects, update } from "./session-double.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test("two sessions on one list do not see each other's changes, or give one id twice", async () => {
  const root = temporaryFolder();
  const [one, two] = [await openShared(createDesk(root)), await openShared(createDesk(root))];
  expect((await create(one, "a")).id).toBe("1");
  expect((await create(two, "b")).id).toBe("2");
  await update(one, "2", { status: "completed" });
  expect((await two.read()).tasks).toMatchObject([{ id: "1" }, { id: "2", status: "completed" }]);
  expect(two.list.revision).toBe(3);
  expect(readdirSync(path.join(root, "team"))).toEqual(["tasks.json"]);
});

// faults: create-race-overwrites, in one process
test("parallel creates of two sessions overwrite each other", async () => {
  const root = temporaryFolder();
  const stores = [await openShared(createDesk(root)), await openShared(createDesk(root))];
  const created = await Promise.all(
    stores.flatMap((store) => Array.from({ length: 25 }, (_, index) => create(store, String(index)))),
  );
  expect(created.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(created.map((_, index) => index + 1));
});

// faults: list-gone-after-clear, list-leaks-between-sessions
test("a new session with the same id has another list, or one without it the same", async () => {
  const root = temporaryFolder();
  const manager = SessionManager.inMemory();
  await create(await openShared(createDesk(root, manager)), "a");
  expect(subjects((await openShared(createDesk(root))).list)).toEqual(["1 a"]);
  expect(subjects((await openShared(createDesk(root), "other")).list)).toEqual([]);
  expect(subjects((await openOwn(createDesk(root, manager))).list)).toEqual([]);
});

test("going back in the tree takes back what others see", async () => {
  const desk = createDesk(temporaryFolder());
  const store = await openShared(desk);
  await create(store, "a");
  desk.manager.resetLeaf();
  await store.rewind();
  expect(subjects(store.list)).toEqual(["1 a"]);
});

test("a torn or missing file of a shared list loses what this session knows of it, or gives ids again", async () => {
  for (const damage of [
    (file: string) => {
      truncateSync(file, 10);
    },
    (file: string) => {
      rmSync(file);
    },
  ]) {
    const root = temporaryFolder();
    const desk = createDesk(root);
    const store = await openShared(desk);
    await create(store, "a");
    await create(store, "b");
    damage(path.join(root, "team", "tasks.json"));
    expect(subjects(await store.read())).toEqual(["1 a", "2 b"]);
    expect((await create(store, "c")).id).toBe("3");
    expect(desk.warnings.length).toBeLessThanOrEqual(1);

    damage(path.join(root, "team", "tasks.json"));
    expect(subjects((await openShared(createDesk(root, desk.manager))).list)).toEqual(["1 a", "2 b", "3 c"]);
  }
});

test("one bad record of a shared list costs the others, or disappears without a copy", async () => {
  const root = temporaryFolder();
  const folder = path.join(root, "team");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, "tasks.json"),
    '{"tasks":[{"id":"1","subject":"a"},{"id":"2"}],"highWaterMark":2,"revision":4}',
  );
  const desk = createDesk(root);
  const store = await openShared(desk);
  expect(subjects(store.list)).toEqual(["1 a"]);
  expect(desk.warnings).toHaveLength(1);
  expect((await create(store, "c")).id).toBe("3");
  const aside = readdirSync(folder).find((name) => name.startsWith("tasks.damaged-")) ?? "";
  expect(readFileSync(path.join(folder, aside), "utf8")).toContain('{"id":"2"}');
});

test("a shared list that cannot be written says that it was changed", async () => {
  const blocked = path.join(temporaryFolder(), "file");
  writeFileSync(blocked, "");
  const desk = createDesk(path.join(blocked, "tasks"));
  const store = await openShared(desk);
  await expect(create(store, "a")).rejects.toThrow(/could not be written \(ENOTDIR\); nothing was changed/);
  expect(store.list.tasks).toEqual([]);
  expect(desk.manager.getEntries()).toEqual([]);
});

test("an update that changes nothing writes, or counts as a mutation", async () => {
  const root = temporaryFolder();
  const store = await openShared(createDesk(root));
  await update(store, "1", { subject: "nobody" });
  expect(existsSync(path.join(root, "team", "tasks.json"))).toBe(false);
  expect(store.list.revision).toBe(0);
});

test("an aborted call waits for the lock", async () => {
  const root = temporaryFolder();
  const store = await openShared(createDesk(root));
  mkdirSync(path.join(root, "team", "lock"), { recursive: true });
  writeFileSync(path.join(root, "team", "lock", "someone.json"), JSON.stringify({ pid: 1, place: "elsewhere" }));
  const abort = new AbortController();
  const call = store.mutate((list) => ({ list: { ...list }, result: 0 }), abort.signal);
  abort.abort();
  await expect(call).rejects.toThrow(/aborted/);
  expect(readdirSync(path.join(root, "team"))).toEqual(["lock"]);
});
