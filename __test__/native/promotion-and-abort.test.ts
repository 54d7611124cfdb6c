// A move to the background and an abort in the same moment.
import { expect, test } from "vitest";
import { requestPromotionOfAll } from "../../src/runs/promotion.ts";
import { stopTask } from "../../src/runs/stop.ts";
import { bash, taskIdOf, textOf, useBench, waitForEnd, waitForEvent } from "./runs.ts";

const bench = useBench();

async function startWaiting(command: string, signal?: AbortSignal): Promise<{ answer: ReturnType<typeof bash> }> {
  const answer = bash(bench, { command }, signal && { signal });
  const run = bench.registry.inForeground().at(-1);
  if (run === undefined) throw new Error("no command is waited for");
  await waitForEvent(bench, run.id, "started");
  return { answer };
}

// esc-kills-background
test("an abort right after the move ends the command that is said to run on", async () => {
  const controller = new AbortController();
  const { answer } = await startWaiting("sleep 3661.5", controller.signal);
  expect(requestPromotionOfAll(bench.registry, "person")).toBe(1);
  controller.abort();
  const result = await answer;
  expect(textOf(result)).toContain("It is still running.");
  // A stop that was asked for would have ended it by the time that another command has run.
  await bash(bench, { command: "true" });
  const id = taskIdOf(result);
  expect(bench.registry.get(id)).toMatchObject({ state: "running", stopAsked: false });
  await stopTask(bench.registry, id, { graceMs: 0 });
});

test("a move right after the abort keeps the command alive", async () => {
  const controller = new AbortController();
  const { answer } = await startWaiting("sleep 3662.5", controller.signal);
  const [run] = bench.registry.inForeground();
  controller.abort();
  expect(requestPromotionOfAll(bench.registry, "person")).toBe(0);
  expect((await answer).details).toMatchObject({ aborted: true });
  await waitForEnd(bench, run?.id ?? "");
  expect(bench.registry.alive()).toEqual([]);
});
