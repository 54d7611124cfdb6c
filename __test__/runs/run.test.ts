import { expect, test } from "vitest";
import type { RunInfo } from "../../src/native.ts";
import { encodeMeta, endState, exitCodeOf, restoreRun, type Run } from "../../src/runs/run.ts";

const run: Run = {
  task: undefined,
  id: "labcdefgh",
  command: "npm test",
  description: "Run tests",
  sessionId: "s1",
  startedAtMs: 1,
  foreground: false,
  leftover: false,
  state: "running",
  verdict: undefined,
  outputPath: "/tmp/x",
  exit: undefined,
  reason: undefined,
  membersLeft: false,
  ended: false,
  captureError: undefined,
  stopAsked: false,
  told: false,
  endedAtMs: undefined,
};

const info: RunInfo = {
  id: run.id,
  meta: encodeMeta(run),
  phase: "running",
  foreground: false,
  startedAtMs: 1,
  outputPath: "/tmp/x",
};

test.each([
  // own-stop-says-failed, dead-task-still-running
  ["natural", { code: 0 }, "completed"],
  ["natural", { code: 7 }, "failed"],
  ["natural", { code: 143 }, "failed"],
  ["natural", { signal: 9 }, "killed"],
  ["stop", { signal: 15 }, "killed"],
  ["stop", { code: 0 }, "killed"],
  ["quit", { signal: 15 }, "killed"],
  ["timeout", { signal: 15 }, "killed"],
  ["supervisor-lost", undefined, "failed"],
] as const)("an end by %s with %j does not read %s", (reason, exit, state) => {
  expect(endState({ reason, exit, leftover: false, stopAsked: false })).toBe(state);
});

test("a stop of what a command left behind reads as the command's own end", () => {
  expect(endState({ reason: "natural", exit: { code: 0 }, leftover: true, stopAsked: true })).toBe("killed");
  expect(endState({ reason: "natural", exit: { code: 0 }, leftover: true, stopAsked: false })).toBe("completed");
});

test("a signal reads as success", () => {
  // signal-death-is-zero
  expect(exitCodeOf({ signal: 9 })).toBe(137);
  expect(exitCodeOf({ code: 0 })).toBe(0);
  expect(exitCodeOf(undefined)).toBeUndefined();
});

test("a running task is lost or changed by a reload", () => {
  expect(restoreRun(info)).toEqual(run);
});

test("a task that ended during a reload runs for ever, or is not told", () => {
  const ended = restoreRun({ ...info, phase: "ended", exit: { code: 3 }, reason: "natural" });
  expect(ended).toMatchObject({ state: "failed", told: false, ended: true });
  const leftover = {
    ...info,
    meta: encodeMeta({ ...run, leftover: true }),
    exit: { code: 0 },
    reason: "natural" as const,
  };
  expect(restoreRun({ ...leftover, phase: "shell-exited", membersLeft: true })).toMatchObject({ state: "running" });
  expect(restoreRun({ ...leftover, phase: "ended" })).toMatchObject({ state: "completed" });
});

test("what the model has been told is told again after a reload", () => {
  const meta = encodeMeta({ ...run, told: true });
  expect(restoreRun({ ...info, meta, phase: "ended", exit: { code: 0 }, reason: "natural" })?.told).toBe(true);
});

test("a run of somebody else, or a foreground one, is listed as a task", () => {
  for (const meta of ["", "null", "[]", "{", '{"command":1}']) expect(restoreRun({ ...info, meta })).toBeUndefined();
  expect(restoreRun({ ...info, meta: encodeMeta({ ...run, foreground: true }) })).toBeUndefined();
});
