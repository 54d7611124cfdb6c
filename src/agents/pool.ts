import { statSync } from "node:fs";
import { createRunId } from "../runs/ids.ts";
import { guard } from "../runs/registry.ts";
import type { RunService } from "../runs/service.ts";
import { newRun, type Run } from "../runs/run.ts";
import { newAgentTask, type AgentTask } from "./agent-task.ts";
import { PROGRESS_FILTER, takeLine } from "./progress.ts";
import { judgeResult, type AgentResult } from "./result.ts";

/** How often a running agent's output is looked at; a person does not see more. */
const LOOK_EVERY_MS = 250;
/** An agent's message is one line; nothing of it may be left out. */
const MAX_READ_BYTES = 64 * 1024 * 1024;

/** How a queued agent is started when its turn comes. Throws when it cannot be. */
export interface AgentLaunch {
  start(task: AgentTask): Run;
  /** What the child has complained of so far. */
  errors(): string;
  /** Removes what the start has needed. */
  cleanUp(): void;
}

type Listener = (task: AgentTask) => void;

/**
 * The sub-agents of this process: at most so many of a session run, the others wait in order. Each is a run of the core;
 * the pool reads its output and says how its work came out.
 */
export class AgentPool {
  readonly #service: RunService;
  readonly #tasks = new Map<string, AgentTask>();
  readonly #launches = new Map<AgentTask, AgentLaunch>();
  readonly #positions = new Map<AgentTask, number>();
  readonly #looks = new Map<AgentTask, Promise<void>>();
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | undefined;
  /** The queue is being emptied: nobody moves up. */
  #isEmptying = false;

  constructor(service: RunService) {
    this.#service = service;
  }

  get(runId: string): AgentTask | undefined {
    return this.#tasks.get(runId);
  }

  /** Hears of every change of an agent. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes an agent; it is running or queued afterwards, or has ended if it could not be started. */
  submit(
    facts: Pick<AgentTask, "sessionId" | "childSessionId" | "title" | "agentType" | "isAwaited">,
    launch: AgentLaunch,
    maxParallel: number,
  ): AgentTask {
    const runId = createRunId((id) => this.#tasks.has(id) || this.#service.registry.has(id));
    const task = newAgentTask({ ...facts, runId });
    this.#tasks.set(runId, task);
    this.#launches.set(task, launch);
    this.#changed(task);
    this.#startNext(task.sessionId, maxParallel);
    const unlisten = this.onChange((other) => {
      if (task.state !== "queued") {
        unlisten();
        if (task.run === undefined && task.result?.kind === "failed" && !task.isAwaited) this.#announceFailure(task);
      } else if (other.sessionId === task.sessionId && other.state === "ended")
        this.#startNext(task.sessionId, maxParallel);
    });
    if (task.state !== "queued") unlisten();
    return task;
  }

  /** Takes over an agent that runs already: the modules were evaluated anew. */
  adopt(
    facts: Pick<AgentTask, "runId" | "sessionId" | "title" | "createdAtMs"> & {
      agentType?: string;
      childSessionId?: string;
    },
    run: Run,
  ): void {
    if (this.#tasks.has(facts.runId)) return;
    const { runId, sessionId, title, agentType = "agent", childSessionId = "" } = facts;
    const task: AgentTask = {
      ...newAgentTask({ runId, sessionId, childSessionId, title, agentType, isAwaited: false }),
      createdAtMs: facts.createdAtMs,
    };
    this.#tasks.set(runId, task);
    this.#follow(task, run);
    if (run.exit !== undefined || run.ended) this.#finish(task, run);
  }

  /** Takes an agent off the queue. False: it is not there (any more). */
  dropQueued(task: AgentTask, failure: string): boolean {
    if (task.state !== "queued") return false;
    this.#end(task, { kind: "killed", failure });
    return true;
  }

  /** Takes all agents of a session off the queue. Returns them. */
  dropAllQueued(sessionId: string, failure: string): AgentTask[] {
    const queued = [...this.#tasks.values()].filter((task) => task.sessionId === sessionId && task.state === "queued");
    this.#isEmptying = true;
    for (const task of queued) this.dropQueued(task, failure);
    this.#isEmptying = false;
    return queued;
  }

  /** Resolves when an agent is no longer queued. */
  async waitForTurn(task: AgentTask): Promise<void> {
    await this.#waitUntil(task, () => task.state !== "queued");
  }

  /** Resolves when an agent has ended and its result is known. */
  async waitForResult(task: AgentTask): Promise<AgentResult> {
    await this.#waitUntil(task, () => task.result !== undefined);
    return task.result ?? { kind: "failed", failure: "The agent's result was lost." };
  }

  #waitUntil(task: AgentTask, isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve();
    const unhold = this.#service.registry.hold();
    return new Promise((resolve) => {
      const unlisten = this.onChange((other) => {
        if (other !== task || !isDone()) return;
        unlisten();
        unhold();
        resolve();
      });
    });
  }

  #startNext(sessionId: string, maxParallel: number): void {
    for (const task of this.#tasks.values()) {
      if (task.sessionId !== sessionId || task.state !== "queued") continue;
      const running = [...this.#tasks.values()].filter(
        (other) => other.sessionId === sessionId && other.state === "running",
      );
      if (running.length >= maxParallel || this.#service.quitting || this.#isEmptying) return;
      this.#start(task);
    }
  }

  #start(task: AgentTask): void {
    try {
      const run = this.#launches.get(task)?.start(task);
      if (run === undefined) throw new Error("there is nothing to start");
      this.#follow(task, run);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#end(task, { kind: "failed", failure: `The agent could not start: ${reason}` });
    }
  }

  /** Its call was answered long ago: the model hears of it as of a run that has failed. */
  #announceFailure(task: AgentTask): void {
    const { runId: id, title, sessionId } = task;
    const run: Run = {
      ...newRun({
        id,
        task: { kind: "agent", title },
        command: `${task.agentType}: ${title}`,
        description: title,
        sessionId,
        startedAtMs: Date.now(),
        foreground: false,
        outputPath: "",
      }),
      ended: true,
      verdict: "failed",
    };
    this.#service.registry.add(run);
    this.#service.registry.settleIfOver(run);
  }

  #follow(task: AgentTask, run: Run): void {
    task.state = "running";
    task.run = run;
    task.startedAtMs = run.startedAtMs;
    const unwatch = this.#service.registry.watch(run.id, (event) => {
      if (event.kind === "failed") {
        unwatch();
        run.verdict = "failed";
        this.#end(task, { kind: "failed", failure: `The agent could not start: ${event.message}` });
      } else if (event.kind === "shell-exited" || event.kind === "ended") {
        unwatch();
        // Not within the event: the run does not know of its end yet.
        queueMicrotask(() => {
          this.#finish(task, run);
        });
      }
    });
    this.#timer ??= setInterval(() => {
      this.#lookAtAll();
    }, LOOK_EVERY_MS).unref();
    this.#changed(task);
  }

  #lookAtAll(): void {
    const running = [...this.#tasks.values()].filter((task) => task.state === "running");
    if (running.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const task of running) {
      if (sizeOf(task.run?.outputPath) !== (this.#positions.get(task) ?? 0)) void this.#look(task, false);
    }
  }

  /** Reads on in the agent's output; one look at a time. */
  #look(task: AgentTask, final: boolean): Promise<void> {
    const before = this.#looks.get(task);
    if (before !== undefined && !final) return before;
    const look = (before ?? Promise.resolve())
      .then(() => this.#read(task, final))
      .catch(() => undefined)
      .finally(() => {
        if (this.#looks.get(task) === look) this.#looks.delete(task);
      });
    this.#looks.set(task, look);
    return look;
  }

  async #read(task: AgentTask, final: boolean): Promise<void> {
    const path = task.run?.outputPath;
    if (path === undefined || path === "") return;
    const { lines, cursor } = await this.#service.registry.addon.read(path, this.#positions.get(task) ?? 0, {
      filter: PROGRESS_FILTER,
      maxBytes: MAX_READ_BYTES,
      final,
    });
    this.#positions.set(task, cursor);
    if (lines.length === 0) return;
    task.progress = lines.reduce(takeLine, task.progress);
    this.#changed(task);
  }

  #finish(task: AgentTask, run: Run): void {
    void this.#look(task, true).then(() => {
      const errors = this.#launches.get(task)?.errors() ?? "";
      const result = judgeResult(task.progress, { exit: run.exit, reason: run.reason, errors });
      run.verdict = result.kind === "reported" ? "completed" : result.kind;
      this.#end(task, result);
      // What an agent has left running ends with it: nobody would know of it.
      if (!run.ended) this.#service.registry.addon.requestStop(run.id, "stop");
      this.#service.registry.settleIfOver(run);
    });
  }

  #end(task: AgentTask, result: AgentResult): void {
    if (task.state === "ended") return;
    task.state = "ended";
    task.endedAtMs = Date.now();
    task.result = result;
    task.progress = { ...task.progress, currentTool: undefined, runningTools: [] };
    const launch = this.#launches.get(task);
    this.#launches.delete(task);
    this.#positions.delete(task);
    if (launch !== undefined)
      guard(() => {
        launch.cleanUp();
      });
    this.#changed(task);
  }

  #changed(task: AgentTask): void {
    for (const listener of [...this.#listeners]) {
      guard(() => {
        listener(task);
      });
    }
  }
}

function sizeOf(path: string | undefined): number {
  try {
    return path === undefined || path === "" ? 0 : statSync(path).size;
  } catch {
    return 0;
  }
}
