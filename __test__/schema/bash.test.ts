import { expect, test } from "vitest";
import { Check } from "typebox/value";
import { bashSchema, repairBashArguments } from "../../src/schema/bash.ts";
import { repairTaskStopArguments, taskStopSchema } from "../../src/schema/task-stop.ts";

const facts = { defaultTimeoutMs: 1000, maxTimeoutMs: 9000, backgroundEnabled: true };

test("the schema shows other numbers than those in force", () => {
  expect(JSON.stringify(bashSchema(facts))).toContain("Default 1000, at most 9000");
});

test("background is offered where it is turned off", () => {
  expect(JSON.stringify(bashSchema({ ...facts, backgroundEnabled: false }))).not.toContain("background");
  expect(repairBashArguments({ command: "x", run_in_background: true }, false)).toEqual({ command: "x" });
  expect(repairBashArguments({ command: "x", background: true }, false)).toEqual({ command: "x" });
});

test("an unknown argument is dropped in silence", () => {
  expect(Check(bashSchema(facts), { command: "x", cwd: "/" })).toBe(false);
  expect(Check(bashSchema(facts), { command: "x", timeout: 1, description: "d", run_in_background: true })).toBe(true);
  expect(Check(taskStopSchema, { task_id: "x", force: true })).toBe(false);
});

test.each([
  [{ cmd: "x" }, { command: "x" }],
  [{ script: "x" }, { command: "x" }],
  [
    { command: "x", timeout_ms: 5 },
    { command: "x", timeout: 5 },
  ],
  [
    { command: "x", background: true },
    { command: "x", run_in_background: true },
  ],
  // Not finite means the default; JSON has no such number, but 1e999 reads as one.
  [{ command: "x", timeout: Infinity }, { command: "x" }],
  // Two commands cannot both be meant; the schema refuses the second.
  [
    { command: "x", cmd: "y" },
    { command: "x", cmd: "y" },
  ],
])("the slip %j is refused or read wrongly", (raw, repaired) => {
  expect(repairBashArguments(raw, true)).toEqual(repaired);
});

test.each([
  [{ id: "x" }, { task_id: "x" }],
  [{ taskId: "x" }, { task_id: "x" }],
  ["x", { task_id: "x" }],
  [{ shell_id: "x" }, { shell_id: "x" }],
  // A model that fills in every field leaves the one that it does not mean empty.
  [{ task_id: "", shell_id: "x" }, { shell_id: "x" }],
  [{ task_id: " ", id: "x" }, { task_id: "x" }],
  [{ task_id: "" }, { task_id: "" }],
  [{}, {}],
])("the slip %j of TaskStop is refused or read wrongly", (raw, repaired) => {
  expect(repairTaskStopArguments(raw)).toEqual(repaired);
});

test.each([null, 3, [], "text"])("arguments of another kind (%j) crash the repair", (raw) => {
  expect(() => repairBashArguments(raw, true)).not.toThrow();
  expect(() => repairTaskStopArguments(raw)).not.toThrow();
});
