import { describe, expect, test } from "vitest";
import { createTask } from "../../src/tasks/create-task.ts";
import { EMPTY_LIST, findTask, liveBlockers } from "../../src/tasks/task.ts";
import { updateTask } from "../../src/tasks/update-task.ts";
import { changed, listOf } from "./list-builder.ts";

describe("updating a task", () => {
  test("an update that repeats what is there claims to have changed something", () => {
    const list = changed(listOf("a"), "1", { owner: "me", metadata: { deep: { x: [1] } } });
    const outcome = updateTask(list, "1", {
      subject: "a",
      owner: "me",
      status: "pending",
      metadata: { deep: { x: [1] } },
    });
    expect(outcome).toEqual({ list, updatedFields: [] });
    expect(outcome?.list).toBe(list);
  });

  test("changed fields are reported in the order of the call, or together with fields that stayed", () => {
    const outcome = updateTask(listOf("a", "b", "c"), "2", {
      addBlockedBy: ["1"],
      addBlocks: ["3"],
      status: "completed",
      metadata: { k: 1 },
      owner: "me",
      activeForm: "Doing",
      description: "d",
      subject: "b",
    });
    expect(outcome?.updatedFields).toEqual([
      "description",
      "activeForm",
      "owner",
      "metadata",
      "status",
      "blocks",
      "blockedBy",
    ]);
    expect(outcome?.statusChange).toEqual({ from: "pending", to: "completed" });
  });

  test("a status cannot go back from completed, or to itself is called a change", () => {
    const done = changed(listOf("a"), "1", { status: "completed" });
    expect(updateTask(done, "1", { status: "pending" })?.statusChange).toEqual({ from: "completed", to: "pending" });
    expect(updateTask(done, "1", { status: "completed" })).toEqual({ list: done, updatedFields: [] });
  });

  test("an empty owner or activeForm is kept as an empty text", () => {
    const list = changed(listOf("a"), "1", { owner: "me", activeForm: "Doing" });
    const outcome = updateTask(list, "1", { owner: "", activeForm: "" });
    expect(outcome?.updatedFields).toEqual(["activeForm", "owner"]);
    expect(outcome?.list.tasks[0]).not.toHaveProperty("owner");
    expect(outcome?.list.tasks[0]).not.toHaveProperty("activeForm");
    expect(updateTask(listOf("a"), "1", { owner: "" })?.updatedFields).toEqual([]);
  });

  test("a null in metadata is stored instead of deleting its key, or nested data is merged", () => {
    const list = changed(listOf("a"), "1", { metadata: { gone: 1, kept: { a: 1, b: 2 } } });
    const next = changed(list, "1", { metadata: { gone: null, never: null, kept: { a: 2 } } });
    expect(findTask(next, "1")?.metadata).toEqual({ kept: { a: 2 } });
    expect(changed(next, "1", { metadata: { kept: null } }).tasks[0]).not.toHaveProperty("metadata");
  });

  test("metadata holds a number that is another one after a restart", () => {
    const odd = JSON.parse('{"low":[-0],"high":{"n":1e999}}') as Record<string, unknown>;
    const created = createTask(EMPTY_LIST, { subject: "a", description: "", metadata: odd }).list;
    for (const list of [created, changed(listOf("a"), "1", { metadata: odd })]) {
      expect(findTask(list, "1")?.metadata).toEqual(JSON.parse(JSON.stringify(odd)));
      expect(updateTask(list, "1", { metadata: odd })?.updatedFields).toEqual([]);
    }
  });

  test("a metadata key called __proto__ changes what every object inherits", () => {
    const poison = JSON.parse('{"__proto__":{"owned":true},"constructor":1}') as Record<string, unknown>;
    const list = changed(listOf("a"), "1", { metadata: poison });
    expect(Object.keys(findTask(list, "1")?.metadata ?? {}).sort()).toEqual(["__proto__", "constructor"]);
    expect(({} as Record<string, unknown>)["owned"]).toBeUndefined();
  });

  test("an id that only looks like a number finds a task", () => {
    const list = listOf("a");
    for (const id of ["", "0", "01", "1.0", " 1", "-1", "1e0", "__proto__", "2"]) {
      expect(updateTask(list, id, { subject: "x" })).toBeUndefined();
    }
  });
});

describe("edges", () => {
  // faults: cycle-or-self-edge
  test("a task blocks itself, or a cycle is refused or loops", () => {
    const cycle = changed(changed(listOf("a", "b"), "1", { addBlockedBy: ["1", "2"] }), "1", { addBlocks: ["2"] });
    expect(cycle.tasks.map(({ blocks, blockedBy }) => ({ blocks, blockedBy }))).toEqual([
      { blocks: ["2"], blockedBy: ["2"] },
      { blocks: ["1"], blockedBy: ["1"] },
    ]);
    expect(cycle.tasks.map((task) => liveBlockers(cycle, task))).toEqual([["2"], ["1"]]);
  });

  test("an unknown id becomes an edge, an edge is there twice, or the ten comes before the two", () => {
    const list = listOf("a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
    const outcome = updateTask(list, "1", { addBlockedBy: ["10", "99", "2", "10"] });
    expect(findTask(outcome?.list ?? EMPTY_LIST, "1")?.blockedBy).toEqual(["2", "10"]);
    expect(findTask(outcome?.list ?? EMPTY_LIST, "10")?.blocks).toEqual(["1"]);
    expect(updateTask(outcome?.list ?? EMPTY_LIST, "1", { addBlockedBy: ["2", "99", "1"] })?.updatedFields).toEqual([]);
  });

  // faults: completed-blocker-still-shown
  test("a completed blocker is still said to block, or its edge is dropped from the data", () => {
    const list = changed(changed(listOf("a", "b"), "2", { addBlockedBy: ["1"] }), "1", { status: "completed" });
    const [, second] = list.tasks;
    expect(second?.blockedBy).toEqual(["1"]);
    expect(second && liveBlockers(list, second)).toEqual([]);
  });

  // faults: blocked-task-starts
  test("work on a blocked task is refused, or hides that it is blocked", () => {
    const list = changed(listOf("a", "b"), "2", { addBlockedBy: ["1"], status: "in_progress" });
    const second = findTask(list, "2");
    expect(second?.status).toBe("in_progress");
    expect(second && liveBlockers(list, second)).toEqual(["1"]);
  });

  // faults: delete-leaves-edges
  test("a deleted task stays in the edges of others, or its id is given again", () => {
    const linked = changed(listOf("a", "b"), "1", { addBlocks: ["2"], addBlockedBy: ["2"] });
    const outcome = updateTask(linked, "1", { status: "deleted", subject: "ignored", addBlocks: ["2"] });
    expect(outcome?.updatedFields).toEqual(["deleted"]);
    expect(outcome?.statusChange).toEqual({ from: "pending", to: "deleted" });
    const left = outcome?.list ?? EMPTY_LIST;
    expect(left.tasks).toMatchObject([{ id: "2", blocks: [], blockedBy: [] }]);
    expect(createTask(changed(left, "2", { status: "deleted" }), { subject: "c", description: "" }).task.id).toBe("3");
  });
});

test("a snapshot taken earlier changes when the list or the caller's own objects change", () => {
  const metadata = { nested: { n: 1 } };
  const before = createTask(EMPTY_LIST, { subject: "a", description: "", metadata }).list;
  const text = JSON.stringify(before);
  metadata.nested.n = 2;
  changed(before, "1", { subject: "b", metadata: { more: true } });
  expect(JSON.stringify(before)).toBe(text);
  expect(() => {
    (before.tasks[0]?.metadata as { nested: { n: number } }).nested.n = 3;
  }).toThrow(TypeError);
});
