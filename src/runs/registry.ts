import type { Addon, RunEvent } from "../native.ts";
import { withSlashes } from "./output-paths.ts";
import { encodeMeta, endState, restoreRun, type Run } from "./run.ts";

/** Ended background runs that stay listed; the oldest are forgotten beyond it. */
const MAX_ENDED_RUNS = 200;

type EventListener = (event: RunEvent) => void;
type RunListener = (run: Run) => void;

/**
 * The runs of this process, kept in step with the addon's events. The addon is the truth: after a re-evaluation of the
 * modules `restore` builds the same picture from it.
 *
 * A listener that throws is reported on stderr and disturbs nobody else: an exception here would end pi.
 */
export class RunRegistry {
  readonly addon: Addon;
  readonly #runs = new Map<string, Run>();
  readonly #watchers = new Map<string, Set<EventListener>>();
  readonly #settledListeners = new Set<RunListener>();
  readonly #changeListeners = new Set<() => void>();
  readonly #queuedWaits = new Set<() => void>();
  #holds = 0;

  constructor(addon: Addon) {
    this.addon = addon;
  }

  /** Takes over the addon's events and the runs it already has. Returns those that have ended and are not told yet. */
  restore(): Run[] {
    this.addon.subscribe((event) => {
      this.dispatch(event);
    });
    const untold: Run[] = [];
    for (const info of this.addon.runs()) {
      const run = this.#runs.has(info.id) ? undefined : restoreRun(info);
      if (run === undefined) continue;
      this.#runs.set(run.id, run);
      if (run.state !== "running" && !run.told) untold.push(run);
    }
    return untold;
  }

  add(run: Run): void {
    this.#runs.set(run.id, run);
    this.#changed();
  }

  get(id: string): Run | undefined {
    return this.#runs.get(id);
  }

  has(id: string): boolean {
    return this.#runs.has(id) || this.addon.run(id) !== null;
  }

  /** All runs, oldest first, running and ended ones. */
  list(): Run[] {
    return [...this.#runs.values()];
  }

  /** Background runs that a person would call running: the shell has not ended, or what it left has not. */
  runningInBackground(): Run[] {
    return this.list().filter((run) => !run.foreground && run.state === "running");
  }

  /** Runs that somebody waits for. */
  inForeground(): Run[] {
    return this.list().filter((run) => run.foreground && !run.ended);
  }

  /** Everything with processes. */
  alive(): Run[] {
    return this.list().filter((run) => !run.ended);
  }

  /** Writes down for later evaluations what only this side knows. */
  save(run: Run): void {
    this.addon.setMeta(run.id, encodeMeta(run));
    this.#changed();
  }

  /** A run counted as told, and its end is not known to the model after all. */
  untell(run: Run): void {
    run.told = false;
    this.save(run);
    if (run.state === "running") return;
    for (const listener of [...this.#settledListeners])
      guard(() => {
        listener(run);
      });
  }

  /** Drops a run of which nothing will be asked any more. */
  forget(run: Run): void {
    this.#runs.delete(run.id);
    this.addon.forget(run.id);
    this.#changed();
  }

  /** The same as soon as nothing of it is left: the rest of a grace goes on behind the answer of its caller. */
  forgetWhenEnded(run: Run): void {
    if (run.ended) {
      this.forget(run);
      return;
    }
    const unwatch = this.watch(run.id, (event) => {
      if (event.kind !== "ended") return;
      unwatch();
      // Not within the event: others still look at the run.
      queueMicrotask(() => {
        this.forget(run);
      });
    });
  }

  /** A call waits for something whose turn has not come; `answer` ends the wait, until the returned function is called. */
  waitForTurn(answer: () => void): () => void {
    this.#queuedWaits.add(answer);
    return () => this.#queuedWaits.delete(answer);
  }

  /** Answers all calls that wait for a turn. Says how many. */
  answerQueued(): number {
    const waits = [...this.#queuedWaits];
    for (const answer of waits) guard(answer);
    return waits.length;
  }

  /** Hears every event of one run until the returned function is called. */
  watch(id: string, listener: EventListener): () => void {
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers);
    watchers.add(listener);
    return () => {
      watchers.delete(listener);
      if (watchers.size === 0 && this.#watchers.get(id) === watchers) this.#watchers.delete(id);
    };
  }

  /** Hears of every background run that has come to its end, once each. */
  onSettled(listener: RunListener): () => void {
    this.#settledListeners.add(listener);
    return () => this.#settledListeners.delete(listener);
  }

  /** Hears that the list has changed. */
  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  /** Keeps Node alive until the returned function is called: an empty event loop would end a wait with the process. */
  hold(): () => void {
    if (this.#holds++ === 0) this.addon.hold(true);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      if (--this.#holds === 0) this.addon.hold(false);
    };
  }

  /** Takes one event of the addon. */
  dispatch(event: RunEvent): void {
    const run = this.#runs.get(event.runId);
    if (run !== undefined) this.#apply(run, event);
    for (const watcher of [...(this.#watchers.get(event.runId) ?? [])])
      guard(() => {
        watcher(event);
      });
    if (run !== undefined) {
      // What a watcher has dropped was never a task: its caller has the error.
      if (this.#runs.get(run.id) === run) this.settleIfOver(run);
      // What it has printed so far is no part of the list, and comes several times a second.
      if (event.kind !== "snapshot") this.#changed();
    }
  }

  /** Ends the `running` of a background run whose end is known. Also called when a run becomes one. */
  settleIfOver(run: Run): void {
    if (run.foreground || run.state !== "running") return;
    if (run.task?.kind === "agent" && run.verdict === undefined) return;
    const over = run.leftover ? run.ended : run.exit !== undefined || run.ended;
    if (!over) return;
    run.state = endState(run);
    run.endedAtMs = Date.now();
    for (const listener of [...this.#settledListeners])
      guard(() => {
        listener(run);
      });
    this.#forgetOldest();
  }

  #apply(run: Run, event: RunEvent): void {
    switch (event.kind) {
      case "started":
        run.outputPath = withSlashes(event.outputPath);
        break;
      case "shell-exited":
        run.exit = event.exit;
        run.reason = event.reason;
        run.membersLeft = event.membersLeft;
        run.captureError = event.captureError;
        break;
      case "ended":
        run.exit ??= event.exit;
        run.reason ??= event.reason;
        run.membersLeft = false;
        run.ended = true;
        run.captureError = event.captureError ?? run.captureError;
        break;
      case "failed":
        run.ended = true;
        run.outputPath = "";
        break;
      default:
        break;
    }
  }

  #forgetOldest(): void {
    const ended = this.list().filter((run) => run.ended && !run.foreground && run.told);
    for (const run of ended.slice(0, Math.max(0, ended.length - MAX_ENDED_RUNS))) this.forget(run);
  }

  #changed(): void {
    for (const listener of [...this.#changeListeners]) guard(listener);
  }
}

/** Runs `action` so that what it throws ends here, with a line on stderr. */
export function guard(action: () => void): void {
  try {
    action();
  } catch (error) {
    process.stderr.write(`pi-foreman: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  }
}
