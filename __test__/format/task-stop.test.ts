import { expect, test } from "vitest";
import { formatTaskStop, type TaskStopOutcome } from "../../src/format/task-stop.ts";

const id = "labcdefgh";
const command = "sleep 60";

test.each<[string, TaskStopOutcome, Record<string, unknown>, Record<string, unknown>, boolean]>([
  [
    "stopped",
    { kind: "stopped", id, command },
    { message: "Successfully stopped task: labcdefgh (sleep 60)", task_id: id, task_type: "local_bash", command },
    {},
    false,
  ],
  ["no id", { kind: "no-id" }, { message: "Missing required parameter: task_id", task_id: "" }, {}, true],
  [
    "unknown",
    { kind: "unknown", id: "nope", running: [{ task_id: id, command }] },
    { message: "No task found with ID: nope", task_id: "nope" },
    { running: [{ task_id: id, command }] },
    true,
  ],
  [
    "not running",
    { kind: "not-running", id, command, status: "completed" },
    { message: "Task labcdefgh is not running (status: completed)", task_id: id, command, alreadyExited: true },
    {},
    true,
  ],
  [
    "not all ended",
    { kind: "still-running", id, command, count: 2, survivors: [{ pid: 7, command: "x", why: "another-user" }] },
    { message: "Could not stop task: labcdefgh (sleep 60): 2 processes are still running", task_id: id, command },
    { survivors: [{ pid: 7, command: "x", why: "another-user" }] },
    true,
  ],
])("%s reads otherwise", (_case, outcome, payload, onlyInDetails, isError) => {
  const answer = formatTaskStop(outcome);
  expect(JSON.parse(answer.text)).toEqual(payload);
  expect(answer.details).toEqual({ ...payload, ...onlyInDetails });
  expect(answer.isError).toBe(isError);
});
