// A host that did not run for a while (suspended, or its event loop blocked): its own clocks are due before the news is in.
import { expect, test } from "vitest";
import { stopTask } from "../../src/runs/stop.ts";
import { bash, taskIdOf, textOf, useBench, waitForEvent } from "./runs.ts";

const bench = useBench();

/** Past every deadline that is set beside one of the core. */
const BLOCKED_MS = 5_700;

/** Just before the loop looks at its timers, as in a host that was suspended: the due ones come before the core's news. */
function blockEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
      resolve();
    });
  });
}

test("a command that its timeout has moved to the background is ended, or a stopped task is said to run on", async () => {
  const config = { graceMs: 0, onTimeout: "background" } as const;
  const task = taskIdOf(await bash(bench, { command: "read -r < <(sleep 3651.5)", run_in_background: true }));
  const moved = bash(bench, { command: "echo begun; read -r < <(sleep 3652.5)", timeout: 200 }, { config });
  const natural = bash(bench, { command: "sleep 0.3; echo ended", timeout: 600 }, { config: { graceMs: 0 } });
  const [run] = bench.registry.inForeground();
  if (run === undefined) throw new Error("no command is waited for");
  await waitForEvent(bench, run.id, "started");
  const stopped = stopTask(bench.registry, task, { graceMs: 0 });
  await blockEventLoop();

  expect(await stopped).toMatchObject({ kind: "stopped", id: task });
  expect(textOf(await natural)).toBe("ended");
  const result = await moved;
  expect(textOf(result)).toContain("Command timed out after 0s and was moved to the background");
  // A stop that was asked for meanwhile would have ended it by the time that another command has run.
  await bash(bench, { command: "true" });
  const id = taskIdOf(result);
  expect(bench.registry.get(id)).toMatchObject({ state: "running", stopAsked: false });
  expect(await stopTask(bench.registry, id, { graceMs: 0 })).toMatchObject({ kind: "stopped" });
}, 30_000);
