import type { AgentTask } from "../agents/agent-task.ts";
import type { Ancestry } from "../agents/ancestry.ts";
import type { AgentPool } from "../agents/pool.ts";
import { summarizeCommand } from "../format/command-summary.ts";
import { exitCodeOf, type Run } from "../runs/run.ts";
import type { RunService } from "../runs/service.ts";
import type { TaskJournal } from "./journal.ts";
import type { TaskOutcome, TaskRecord } from "./task-record.ts";

/**
 * The tasks of one session of this process: in step with the runs and the agents, and written to disk at each change of
 * state. Tasks that an earlier process of the session has left are in it as well.
 */
export class TaskBook {
  readonly sessionId: string;
  readonly ancestry: Ancestry;
  readonly #service: RunService;
  readonly #pool: AgentPool;
  readonly #journal: TaskJournal;
  readonly #records = new Map<string, TaskRecord>();
  readonly #written = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  #close: () => void = () => undefined;

  constructor(
    parts: { service: RunService; pool: AgentPool; journal: TaskJournal },
    sessionId: string,
    ancestry: Ancestry,
  ) {
    this.sessionId = sessionId;
    this.ancestry = ancestry;
    this.#service = parts.service;
    this.#pool = parts.pool;
    this.#journal = parts.journal;
  }

  /** Reads what earlier processes have left, then follows what happens until `close`. */
  open(): void {
    for (const record of this.#journal.readSession(this.sessionId)) this.#takeOver(record);
    const unlistenRuns = this.#service.registry.onChange(() => {
      this.#followRuns();
    });
    const unlistenAgents = this.#pool.onChange((task) => {
      this.#followAgent(task);
    });
    this.#close = () => {
      unlistenRuns();
      unlistenAgents();
    };
    this.#followRuns();
  }

  close(): void {
    this.#close();
    this.#listeners.clear();
  }

  /** All of them, oldest first. */
  list(): TaskRecord[] {
    return [...this.#records.values()].sort((a, b) => a.createdAtMs - b.createdAtMs);
  }

  get(runId: string): TaskRecord | undefined {
    return this.#records.get(runId);
  }

  /** Hears of every change. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notes something that only the reader of a task knows. */
  note(record: TaskRecord, facts: Partial<Pick<TaskRecord, "readTo" | "usageTold">>): void {
    const own = this.#records.get(record.runId);
    if (own !== undefined) this.#put({ ...own, ...facts });
  }

  /** What was running when its host was lost has ended with it; the supervisors see to that. */
  #takeOver(record: TaskRecord): void {
    const run = this.#service.registry.get(record.runId);
    if (record.state === "ended" || run !== undefined || this.#pool.get(record.runId) !== undefined) {
      this.#records.set(record.runId, record);
      // The modules were evaluated anew; the pool that has started it is gone.
      if (record.state === "running" && record.kind === "agent" && run !== undefined) this.#pool.adopt(record, run);
      return;
    }
    this.#put({
      ...record,
      state: "ended",
      outcome: "killed",
      endedAtMs: Date.now(),
      ...(record.kind === "agent" && { failure: "The agent was ended: the pi that it belonged to has ended." }),
    });
  }

  #followRuns(): void {
    for (const run of this.#service.registry.list()) {
      if (run.sessionId !== this.sessionId || run.foreground || run.task?.kind === "agent") continue;
      this.#put(this.#recordOfRun(run));
    }
  }

  #recordOfRun(run: Run): TaskRecord {
    const { description } = run;
    const exitCode = exitCodeOf(run.exit);
    const ended = run.state !== "running";
    return {
      ...this.#common(run.id, "bash"),
      title: run.task?.title ?? (description?.trim() ? description : summarizeCommand(run.command)),
      script: run.command,
      createdAtMs: run.startedAtMs,
      startedAtMs: run.startedAtMs,
      ...(run.endedAtMs !== undefined && { endedAtMs: run.endedAtMs }),
      ...(run.outputPath !== "" && { outputPath: run.outputPath }),
      state: ended ? "ended" : "running",
      ...(ended && { outcome: outcomeOfRun(run) }),
      ...(ended && exitCode !== undefined && { exitCode }),
      ...(run.membersLeft && { membersLeft: true }),
    };
  }

  #followAgent(task: AgentTask): void {
    if (task.sessionId !== this.sessionId) return;
    const { result, run } = task;
    this.#put({
      ...this.#common(task.runId, "agent"),
      title: task.title,
      agentType: task.agentType,
      childSessionId: task.childSessionId,
      createdAtMs: task.createdAtMs,
      ...(task.startedAtMs !== undefined && { startedAtMs: task.startedAtMs }),
      ...(task.endedAtMs !== undefined && { endedAtMs: task.endedAtMs }),
      ...(run !== undefined && run.outputPath !== "" && { outputPath: run.outputPath }),
      state: task.state,
      ...(result !== undefined && {
        outcome: result.kind === "reported" ? "exited" : result.kind,
        ...(result.kind === "reported" ? { report: result.report } : { failure: result.failure }),
        usage: task.progress.usage,
      }),
    });
  }

  #common(
    runId: string,
    kind: TaskRecord["kind"],
  ): Pick<
    TaskRecord,
    "version" | "taskId" | "kind" | "runId" | "sessionId" | "parentId" | "depth" | "readTo" | "usageTold"
  > {
    const before = this.#records.get(runId);
    return {
      version: 1,
      taskId: `${kind}:${runId}`,
      kind,
      runId,
      sessionId: this.sessionId,
      ...(this.ancestry.taskId !== undefined && { parentId: this.ancestry.taskId }),
      depth: this.ancestry.depth,
      readTo: before?.readTo ?? 0,
      ...(before?.usageTold === true && { usageTold: true }),
    };
  }

  #put(record: TaskRecord): void {
    const text = JSON.stringify(record);
    if (this.#written.get(record.runId) === text) return;
    this.#written.set(record.runId, text);
    this.#records.set(record.runId, record);
    this.#journal.write(record);
    for (const listener of [...this.#listeners]) listener();
  }
}

function outcomeOfRun(run: Run): TaskOutcome {
  if (run.leftover) return run.stopAsked ? "killed" : "exited";
  if (run.reason === "timeout") return "timed_out";
  if (run.state === "killed") return "killed";
  return run.exit?.code === undefined ? "failed" : "exited";
}
