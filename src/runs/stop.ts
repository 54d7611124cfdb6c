import type { TaskStopOutcome } from "../format/task-stop.ts";
import type { RunEvent, Survivor } from "../native.ts";
import { startDeadline } from "./deadline.ts";
import type { RunRegistry } from "./registry.ts";
import type { Run } from "./run.ts";

/** KILL, its repetition and the core's report of survivors fit in; after that nothing more will be learnt. */
const REPORT_AFTER_GRACE_MS = 5_000;

/**
 * Ends a background task and says how that came out. `stopped` is said only after nothing of it is left; the same for
 * processes of a task whose own command has ended. A second stop of the same task skips the grace.
 *
 * An aborted `signal` ends the wait, not the stop.
 */
export async function stopTask(
  registry: RunRegistry,
  id: string,
  options: { graceMs: number; signal?: AbortSignal | undefined },
): Promise<TaskStopOutcome> {
  const run = registry.get(id);
  if (run === undefined) {
    const live = registry.alive().filter((task) => !task.foreground);
    const running = live.map((task) => ({ task_id: task.id, command: task.command }));
    return { kind: "unknown", id, running };
  }
  if (run.ended) return notRunning(run);
  const shellRan = run.exit === undefined;
  const { told: toldBefore, stopAsked: stopAskedBefore } = run;
  const waiting = waitForEnd(registry, run, options);
  run.stopAsked ||= run.state === "running";
  // Whoever stops a task knows of its end; set before the end can be seen, taken back when it came by itself.
  run.told = true;
  registry.save(run);
  const asked = registry.addon.requestStop(id, "stop", options.graceMs);
  if (!asked && registry.addon.run(id) === null) {
    waiting.cancel();
    return notRunning(run);
  }
  // Not asked: it has ended by itself, and the news is on its way.
  if (!asked) run.stopAsked = stopAskedBefore;
  const outcome = await waiting.outcome;
  const endedByItself = !asked || (shellRan && !run.leftover && run.reason === "natural");
  if (outcome.kind === "ended" && !endedByItself) return { kind: "stopped", id, command: run.command };
  if (!toldBefore) registry.untell(run);
  if (outcome.kind === "ended") return notRunning(run);
  const { survivors } = outcome;
  const count = survivors.length > 0 ? survivors.length : await countMembers(registry, run);
  return { kind: "still-running", id, command: run.command, count, survivors };
}

function notRunning(run: Run): TaskStopOutcome {
  const status = run.state === "running" ? "completed" : run.state;
  return { kind: "not-running", id: run.id, command: run.command, status };
}

async function countMembers(registry: RunRegistry, run: Run): Promise<number> {
  try {
    return (await registry.addon.stats(run.id))?.members ?? 1;
  } catch {
    // It could not be looked at; that something is left is all that is known.
    return 1;
  }
}

type EndOrSurvivors = { kind: "ended" } | { kind: "survivors"; survivors: Survivor[] };

function waitForEnd(
  registry: RunRegistry,
  run: Run,
  options: { graceMs: number; signal?: AbortSignal | undefined },
): { outcome: Promise<EndOrSurvivors>; cancel: () => void } {
  const unhold = registry.hold();
  let cancel: () => void = unhold;
  const outcome = new Promise<EndOrSurvivors>((resolve) => {
    const settle = (result: EndOrSurvivors): void => {
      cancel();
      resolve(result);
    };
    const giveUp = (): void => {
      settle({ kind: "survivors", survivors: [] });
    };
    const unwatch = registry.watch(run.id, (event: RunEvent) => {
      if (event.kind === "ended" || event.kind === "failed") settle({ kind: "ended" });
      else if (event.kind === "stop-result" && event.result.state !== "gone") {
        settle({ kind: "survivors", survivors: event.result.state === "survivors" ? event.result.survivors : [] });
      }
    });
    const cancelDeadline = startDeadline(options.graceMs + REPORT_AFTER_GRACE_MS, giveUp);
    options.signal?.addEventListener("abort", giveUp, { once: true });
    cancel = () => {
      cancelDeadline();
      options.signal?.removeEventListener("abort", giveUp);
      unwatch();
      unhold();
    };
    // Nobody tells of an abort that has been.
    if (options.signal?.aborted === true) giveUp();
  });
  return {
    outcome,
    cancel: () => {
      cancel();
    },
  };
}

/**
 * Ends everything of these runs and waits until nothing is left, `deadlineMs` at most. Returns what is still there.
 * The shims go on with what is left, also after this process has ended.
 */
export async function stopAll(
  registry: RunRegistry,
  runs: readonly Run[],
  graceMs: number,
  deadlineMs: number,
): Promise<Run[]> {
  const ends = runs.map(
    (run) =>
      new Promise<void>((resolve) => {
        const unwatch = registry.watch(run.id, (event) => {
          if (event.kind !== "ended" && event.kind !== "failed") return;
          unwatch();
          resolve();
        });
        run.stopAsked ||= run.state === "running";
        registry.addon.requestStop(run.id, "quit", graceMs);
        // One that the core has forgotten will send no news.
        if (run.ended || registry.addon.run(run.id) === null) {
          unwatch();
          resolve();
        }
      }),
  );
  const unhold = registry.hold();
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, deadlineMs);
  });
  await Promise.race([Promise.all(ends), deadline]);
  clearTimeout(timer);
  unhold();
  return runs.filter((run) => !run.ended);
}
