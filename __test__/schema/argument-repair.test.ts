import fc from "fast-check";
import { expect, test } from "vitest";
import { repairArguments } from "../../src/schema/argument-repair.ts";
import { taskCreateShape } from "../../src/schema/task-create.ts";
import { taskGetShape } from "../../src/schema/task-get.ts";
import { taskListShape } from "../../src/schema/task-list.ts";
import { taskUpdateShape } from "../../src/schema/task-update.ts";

// faults: wrong-parameter-swallowed
test.each([
  [{ id: 3 }, { taskId: "3" }],
  [{ task_id: "#3" }, { taskId: "3" }],
  [{ TaskID: " # 3 " }, { taskId: "3" }],
  [{ taskId: "3", id: 3 }, { taskId: "3" }],
  [
    { taskId: "3", addBlockedBy: '["1", 2]' },
    { taskId: "3", addBlockedBy: ["1", "2"] },
  ],
  [
    { taskId: "3", add_blocked_by: 1 },
    { taskId: "3", addBlockedBy: ["1"] },
  ],
  [
    { taskId: "3", addBlocks: "#1, #2 4" },
    { taskId: "3", addBlocks: ["1", "2", "4"] },
  ],
  [
    { taskId: "3", addBlocks: [1, "#2", null] },
    { taskId: "3", addBlocks: ["1", "2"] },
  ],
  [
    { taskId: "3", addBlocks: "" },
    { taskId: "3", addBlocks: [] },
  ],
  [
    { taskId: "3", active_form: "x", owner: null },
    { taskId: "3", activeForm: "x" },
  ],
  [
    { taskId: "3", status: "In-Progress" },
    { taskId: "3", status: "in_progress" },
  ],
  [
    { taskId: "3", status: "inProgress" },
    { taskId: "3", status: "in_progress" },
  ],
  [
    { taskId: "3", metadata: '{"a":null}' },
    { taskId: "3", metadata: { a: null } },
  ],
  [
    { taskId: "3", metadata: "[1]" },
    { taskId: "3", metadata: "[1]" },
  ],
  // A deletion ignores every other field.
  [
    { taskId: "3", subject: " ", status: "deleted" },
    { taskId: "3", subject: " ", status: "deleted" },
  ],
  [
    { taskId: "3", description: "#1", owner: "#2" },
    { taskId: "3", description: "#1", owner: "#2" },
  ],
])("%j is not understood", (raw, meant) => {
  expect(repairArguments(taskUpdateShape, raw)).toEqual(meant);
});

test.each([
  [
    taskUpdateShape,
    { taskId: "1", dependsOn: ["2"] },
    /^Unknown field "dependsOn" for TaskUpdate\. Did you mean addBlockedBy\?/,
  ],
  [taskUpdateShape, { taskId: "1", wat: 1 }, /^Unknown field "wat" for TaskUpdate\. TaskUpdate takes taskId, status,/],
  [taskUpdateShape, { taskId: "1", subject: "" }, /^Empty subject for TaskUpdate/],
  [taskUpdateShape, { taskId: "1", addBlocks: "[1, 2" }, /^Field addBlocks for TaskUpdate is no list of ids: "\[1, 2"/],
  [
    taskUpdateShape,
    { taskId: "1", add_blocked_by: '{"id":1}' },
    /^Field addBlockedBy for TaskUpdate is no list of ids/,
  ],
  [taskGetShape, { taskId: "1", task_id: "2" }, /^Field taskId for TaskGet is given twice/],
  [
    taskCreateShape,
    { subject: "a", description: "b", status: "pending" },
    /^Unknown field "status" .* Did you mean TaskUpdate\?/,
  ],
  [taskListShape, { filter: "x" }, /^Unknown field "filter" for TaskList\. TaskList takes no fields\./],
  [taskCreateShape, JSON.parse('{"__proto__":1}'), /^Unknown field "__proto__"/],
  [taskCreateShape, { constructor: 1 }, /^Unknown field "constructor"/],
])("%# is swallowed, or the error does not start with what is wrong", (shape, raw, message) => {
  expect(() => repairArguments(shape, raw)).toThrow(message);
});

test("arguments that are right are changed, or the caller's own object is", () => {
  fc.assert(
    fc.property(
      fc.record({
        subject: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ""),
        description: fc.string(),
      }),
      (right) => {
        const before = structuredClone(right);
        expect(repairArguments(taskCreateShape, right)).toEqual(before);
        expect(right).toEqual(before);
      },
    ),
  );
});

test("something that is no object at all throws instead of being left to the schema", () => {
  for (const raw of [null, undefined, "x", 1, ["a"]]) expect(repairArguments(taskListShape, raw)).toBe(raw);
});
