import { expect, test } from "vitest";
import { countMutation, mergeAtBranch, mergeAtStart } from "../../src/tasks/merge.ts";
import { EMPTY_LIST, type TaskList } from "../../src/tasks/task.ts";
import { listOf } from "./list-builder.ts";

const at = (revision: number, ...subjects: string[]): TaskList => ({ ...listOf(...subjects), revision });

test("the disk copy of an abandoned branch brings its tasks back at the next start", () => {
  const branch = at(1, "a");
  const abandoned = at(5, "a", "b", "c");
  const { list, ceiling } = mergeAtStart({ branch, all: [branch, abandoned], disk: abandoned });
  expect(list.tasks).toEqual(branch.tasks);
  expect(list.highWaterMark).toBe(3);
  expect(countMutation(list, ceiling).revision).toBe(6);
});

test("an entry that could not be appended is lost at the next start", () => {
  const branch = at(4, "a");
  const disk = at(5, "a", "b");
  expect(mergeAtStart({ branch, all: [branch], disk }).list).toEqual(disk);
  expect(mergeAtStart({ branch: undefined, all: [], disk }).list).toEqual(disk);
});

test("an update that moved no mark is lost, because copies are compared by the mark", () => {
  const branch = at(4, "a", "b");
  const disk = { ...at(5, "a"), highWaterMark: 2 };
  expect(mergeAtStart({ branch, all: [branch], disk }).list).toEqual(disk);
});

test("copies from before revisions are not compared by their mark", () => {
  const branch = at(0, "a");
  expect(mergeAtStart({ branch, all: [branch], disk: at(0, "a", "b") }).list.tasks).toHaveLength(2);
  expect(mergeAtStart({ branch, all: [branch], disk: at(0, "x") }).list).toEqual(branch);
  expect(mergeAtStart({ branch: at(1, "a"), all: [at(1, "a")], disk: at(0, "a", "b", "c") }).list.tasks).toHaveLength(
    1,
  );
});

test("going back before the first task leaves tasks, or gives their ids again", () => {
  expect(mergeAtBranch(undefined, { revision: 9, highWaterMark: 4 })).toEqual({ ...EMPTY_LIST, highWaterMark: 4 });
});

test("no copy anywhere is no list", () => {
  expect(mergeAtStart({ branch: undefined, all: [], disk: undefined }).list).toEqual(EMPTY_LIST);
});
