import { expect, test } from "vitest";
import { checkAwait, repairAwaitArguments } from "../../src/schema/unified-await.ts";
import { repairListArguments } from "../../src/schema/unified-list.ts";
import { refineTask } from "../../src/schema/unified-task.ts";
import { repairTerminateArguments } from "../../src/schema/unified-terminate.ts";
import { parseTaskId } from "../../src/unified/task-id.ts";

const BASH = { kind: "bash", script: "ls", timeout_secs: 5, display_name: "List" };

test("a wrong field is let through, or is named at another place", () => {
  expect(refineTask(BASH)).toMatchObject({ ok: true, request: { kind: "bash", background: false } });
  const issues: [Record<string, unknown>, string[]][] = [
    [{ ...BASH, timeout_secs: Number.NaN }, ["timeout_secs: expected a number of seconds greater than 0"]],
    [{ ...BASH, timeout_secs: "5" }, ["timeout_secs: expected a number of seconds greater than 0"]],
    [{ ...BASH, title: "" }, ['title: not allowed for kind "bash"']],
    [{ ...BASH, run_in_background: "yes" }, ["run_in_background: expected true or false"]],
    [{ ...BASH, extra: 1 }, ["extra: unknown field"]],
    [{ kind: "cmd" }, ['kind: expected "agent" or "bash"']],
  ];
  for (const [args, expected] of issues) expect(refineTask(args)).toEqual({ ok: false, issues: expected });
  expect(refineTask({ ...BASH, prompt: null, title: null, run_in_background: null }).ok).toBe(true);
});

test("a usual slip is refused", () => {
  expect(repairAwaitArguments({ task_ids: "bash:l1", filter: null, filter_exclude: "^x" })).toEqual({
    task_ids: ["bash:l1"],
    filter: "^x",
    filter_exclude: true,
  });
  expect(repairListArguments({ statuses: "killed" })).toEqual({ statuses: ["killed"] });
  expect(repairTerminateArguments("bash:l1")).toEqual({ task_ids: ["bash:l1"] });
  expect(repairTerminateArguments({ task_id: "bash:l1" })).toEqual({ task_ids: ["bash:l1"] });
  for (const repair of [repairAwaitArguments, repairListArguments, repairTerminateArguments]) expect(repair(7)).toBe(7);
});

test("arguments that contradict each other pass", () => {
  expect(checkAwait({ filter_exclude: true })).toHaveLength(1);
  expect(checkAwait({ timeout_secs: Number.NaN, min_completed: 1.5 })).toHaveLength(2);
  expect(checkAwait({ filter: "a", filter_exclude: true, timeout_secs: 0, min_completed: 1 })).toEqual([]);
});

test("something that is no id is taken for one", () => {
  expect(parseTaskId("agent:l1a2b3c4d")).toEqual({ taskId: "agent:l1a2b3c4d", kind: "agent", runId: "l1a2b3c4d" });
  for (const id of ["", "bash:", "l1a2b3c4d", "bash:../x", "bash:a b", "sh:a", " bash:a"])
    expect(parseTaskId(id)).toBeUndefined();
});
