import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { stopAll, stopTask } from "../../src/runs/stop.ts";
import { bash, processesWith, SESSION_ID, taskIdOf, textOf, useBench, waitForEnd, waitForEvent, waitForText } from "./runs.ts";

const bench = useBench();
const grace = { graceMs: 2_000 };

async function start(command: string): Promise<string> {
  return taskIdOf(await bash(bench, { command, run_in_background: true }));
}

test("the answer has another text, or names a file that is not there", async () => {
  const result = await bash(bench, { command: "sleep 3401.5", run_in_background: true });
  const id = taskIdOf(result);
  const file = [bench.outputBase, SESSION_ID, "tasks", `${id}.output`].join("/");
  expect(textOf(result)).toBe(`Command running in background with ID: ${id}. Output is being written to: ${file}`);
  expect(result.details).toEqual({ backgroundTaskId: id });
  expect(id).toMatch(/^l[a-z0-9]{8}$/);
  expect(readFileSync(file, "utf8")).toBe("");
  await stopTask(bench.registry, id, grace);
});

test("stdout and stderr lose their order", async () => {
  const id = await start("for i in 1 2 3; do echo out$i; echo err$i >&2; done");
  await waitForEnd(bench, id);
  expect(readFileSync(bench.registry.get(id)?.outputPath ?? "", "utf8")).toBe("out1\nerr1\nout2\nerr2\nout3\nerr3\n");
});

test("each look at what a command prints makes all tasks be written down anew", async () => {
  const id = await start("sleep 3402.5");
  let changes = 0;
  const unlisten = bench.registry.onChange(() => changes++);
  for (let look = 0; look < 3; look++) {
    const seen = waitForEvent(bench, id, "snapshot");
    expect(bench.addon.requestSnapshot(id)).toBe(true);
    await seen;
  }
  unlisten();
  expect(changes).toBe(0);
  await stopTask(bench.registry, id, grace);
});

test("a short timeout ends a background task", async () => {
  // bg-timeout-ignored
  const result = await bash(bench, { command: "sleep 0.5; echo done", run_in_background: true, timeout: 50 });
  await waitForEnd(bench, taskIdOf(result));
  expect(bench.registry.get(taskIdOf(result))).toMatchObject({ state: "completed", exit: { code: 0 } });
});

test("a start that fails is told as a task too, under an id that nobody was given", async () => {
  const settled: string[] = [];
  const unlisten = bench.registry.onSettled((run) => settled.push(run.command));
  const missing = path.join(bench.cwd, "missing");
  const result = await bash(bench, { command: "echo never", run_in_background: true }, { cwd: missing });
  unlisten();
  expect(result).toMatchObject({ isError: true, details: { error: "CWD_MISSING" } });
  expect(settled).toEqual([]);
  expect(bench.registry.list().filter((run) => run.command === "echo never")).toEqual([]);
});

test("an abort waits for a start that takes long, or what it gave up runs on", async () => {
  // terminate-call-hangs
  const abort = new AbortController();
  const called = bash(bench, { command: "sleep 3471.5", run_in_background: true }, { signal: abort.signal });
  const run = bench.registry.list().find(({ command }) => command === "sleep 3471.5");
  abort.abort();
  expect(await called).toMatchObject({ isError: true, details: { aborted: true } });
  // The core had no time to say anything; its run is not lost, and its end is told to nobody.
  expect(run).toMatchObject({ told: true });
  await waitForEnd(bench, run?.id ?? "");
  expect(processesWith("sleep 3471")).toEqual([]);
});

test("background is granted where it is turned off", async () => {
  const result = await bash(bench, { command: "echo fg", run_in_background: true }, { config: { backgroundEnabled: false } });
  expect(textOf(result)).toBe("fg");
});

test.each([
  ["exit 7", "failed", { code: 7 }],
  ["true", "completed", { code: 0 }],
  ["kill -9 $$", "killed", { signal: 9 }],
])("%s does not end as %s", async (command, state, exit) => {
  // dead-task-still-running
  const id = await start(command);
  await waitForEnd(bench, id);
  expect(bench.registry.get(id)).toMatchObject({ state, exit });
});

describe("TaskStop", () => {
  test("says stopped while something runs", async () => {
    // stop-does-not-stop-loop
    const id = await start('for i in 1 2 3; do sh -c "sleep 341$i.5"; done & setsid sleep 3419.5 & wait');
    await expect(stopTask(bench.registry, id, grace)).resolves.toMatchObject({ kind: "stopped" });
    expect(processesWith("sleep 341")).toEqual([]);
    expect(bench.registry.get(id)).toMatchObject({ state: "killed", told: true, ended: true });
  });

  test("waits out the grace of a command that ignores TERM when asked twice", async () => {
    // second-interrupt-ignored
    const id = await start("trap '' TERM INT; echo ready; sleep 3421.5; sleep 3422.5");
    await waitForText(bench.registry.get(id)?.outputPath ?? "", "ready");
    const first = stopTask(bench.registry, id, { graceMs: 50_000 });
    const second = stopTask(bench.registry, id, { graceMs: 50_000 });
    expect(await Promise.all([first, second])).toEqual([
      expect.objectContaining({ kind: "stopped" }),
      expect.objectContaining({ kind: "stopped" }),
    ]);
    expect(processesWith("sleep 342")).toEqual([]);
  });

  test("of a call that was aborted before waits for the task all the same", async () => {
    const id = await start("trap '' TERM; echo ready; while :; do sleep 0.2; done");
    await waitForText(bench.registry.get(id)?.outputPath ?? "", "ready");
    const signal = AbortSignal.abort();
    expect(await stopTask(bench.registry, id, { graceMs: 50_000, signal })).toMatchObject({ kind: "still-running" });
    // It was asked to end; asked again, it does so at once.
    await stopTask(bench.registry, id, { graceMs: 50_000 });
    expect(bench.registry.get(id)).toMatchObject({ state: "killed", ended: true });
  });

  test("of an unknown task hides those that run", async () => {
    const id = await start("sleep 3431.5");
    const left = await start("sleep 3432.5 & exit 0");
    // Its shell has ended, what it left can still be stopped.
    if (bench.registry.get(left)?.exit === undefined) await waitForEvent(bench, left, "shell-exited");
    expect(await stopTask(bench.registry, "nope", grace)).toEqual({
      kind: "unknown",
      id: "nope",
      running: [
        { task_id: id, command: "sleep 3431.5" },
        { task_id: left, command: "sleep 3432.5 & exit 0" },
      ],
    });
    await stopTask(bench.registry, left, grace);
    await stopTask(bench.registry, id, grace);
    expect(await stopTask(bench.registry, id, grace)).toMatchObject({ kind: "not-running", status: "killed" });
  });

  test("of a task that has ended by itself claims the end", async () => {
    const id = await start("exit 3");
    await waitForEnd(bench, id);
    expect(await stopTask(bench.registry, id, grace)).toMatchObject({ kind: "not-running", status: "failed" });
    expect(bench.registry.get(id)?.stopAsked).toBe(false);
  });

  test("does not reach what an ended task left running", async () => {
    // group-leader-gone
    const id = await start("sleep 3441.5 & exit 0");
    const run = bench.registry.get(id);
    if (run?.state === "running") await waitForEvent(bench, id, "shell-exited");
    expect(run).toMatchObject({ state: "completed", membersLeft: true, ended: false });
    expect(await stopTask(bench.registry, id, grace)).toMatchObject({ kind: "stopped" });
    expect(run).toMatchObject({ state: "completed", ended: true });
    expect(processesWith("sleep 344")).toEqual([]);
  });

  // There is no TERM on Windows: a stop is never waited for.
  test.skipIf(process.platform === "win32")("hangs when its call is aborted", async () => {
    // terminate-call-hangs
    const id = await start("trap '' TERM; echo ready; while :; do sleep 0.1; done");
    await waitForText(bench.registry.get(id)?.outputPath ?? "", "ready");
    const outcome = await stopTask(bench.registry, id, { graceMs: 50_000, signal: AbortSignal.timeout(200) });
    expect(outcome).toMatchObject({ kind: "still-running", id });
    expect(bench.registry.get(id)?.told).toBe(false);
    await stopTask(bench.registry, id, { graceMs: 0 });
  });
});

test("the end of pi leaves tasks behind, or takes too long", async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => start(`trap '' TERM; setsid sleep 345${index}.5 & sleep 346${index}.5`)));
  const startedAt = performance.now();
  expect(await stopAll(bench.registry, bench.registry.alive(), 300, 2_500)).toEqual([]);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  for (const id of ids) expect(bench.registry.get(id)).toMatchObject({ state: "killed", stopAsked: true });
  expect([...processesWith("sleep 345"), ...processesWith("sleep 346")]).toEqual([]);
});
