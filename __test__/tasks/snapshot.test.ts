import { expect, test } from "vitest";
import { encodeList } from "./encode-list.ts";
import { parseSnapshot } from "../../src/tasks/snapshot.ts";
import { changed, listOf } from "./list-builder.ts";

test("a list does not come back from disk as it was written", () => {
  const list = changed(listOf("a", "b\n“x”", "c"), "2", {
    addBlocks: ["3"],
    metadata: JSON.parse('{"__proto__":1,"n":null,"deep":[{"a":1}]}') as Record<string, unknown>,
    owner: "me",
  });
  const parsed = parseSnapshot(JSON.parse(encodeList({ ...list, revision: 7 })));
  expect(parsed).toEqual({ list: { ...list, revision: 7 }, badRecords: 0 });
});

test("something that is no snapshot at all is taken for an empty list", () => {
  for (const value of [null, 1, "x", [], {}, { tasks: {} }, { tasks: "[]" }]) {
    expect(parseSnapshot(value)).toBeUndefined();
  }
});

test("one bad record costs the others, or its id is given again", () => {
  const good = { id: "2", subject: "b", description: "d", status: "completed", blocks: [], blockedBy: [] };
  const parsed = parseSnapshot({
    tasks: [
      good,
      null,
      5,
      { id: "7", subject: 5 },
      { id: "x", subject: "a" },
      { id: "3", subject: "c", status: "wat" },
    ],
  });
  expect(parsed?.badRecords).toBe(5);
  expect(parsed?.list).toEqual({ tasks: [good], highWaterMark: 7, revision: 0 });
});

test("a list written before revisions, with number ids, out of order, cannot be read", () => {
  const parsed = parseSnapshot({
    tasks: [
      { id: 10, subject: "j" },
      { id: 2, subject: "b" },
    ],
    highWaterMark: 12,
  });
  expect(parsed?.list.tasks.map((task) => task.id)).toEqual(["2", "10"]);
  expect(parsed?.list).toMatchObject({ highWaterMark: 12, revision: 0 });
  expect(parsed?.list.tasks[0]).toMatchObject({ description: "", status: "pending", blocks: [], blockedBy: [] });
});

test("edges of an edited file point to nowhere, to their own task, or in one direction only", () => {
  const parsed = parseSnapshot({
    tasks: [
      { id: "1", subject: "a", blocks: ["1", "2", "9", 2, null], blockedBy: "2" },
      { id: "2", subject: "b" },
    ],
  });
  expect(parsed?.list.tasks.map(({ blocks, blockedBy }) => ({ blocks, blockedBy }))).toEqual([
    { blocks: ["2"], blockedBy: [] },
    { blocks: [], blockedBy: ["1"] },
  ]);
});

test("counters that are no numbers, or too large to count on, break the next id", () => {
  for (const bad of [NaN, -1, 1.5, "9", Infinity, 2 ** 60]) {
    const parsed = parseSnapshot({ tasks: [{ id: "4", subject: "a" }], highWaterMark: bad, revision: bad });
    expect(parsed?.list).toMatchObject({ highWaterMark: 4, revision: 0 });
  }
});
