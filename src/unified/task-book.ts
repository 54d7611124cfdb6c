import type { AgentTask } from "../agents/agent-task.ts";
import type { Ancestry } from "../agents/ancestry.ts";
import type { AgentPool } from "../agents/pool.ts";
import { summarizeCommand } from "../format/command-summary.ts";
import { exitCodeOf, type Run } from "../runs/run.ts";
import type { RunService } from "../runs/service.ts";
import type { TaskJournal } from "./journal.ts";
import { isWithoutOwner, SIGN_OF_LIFE_EVERY_MS, type TaskOwner } from "./task-owner.ts";
import { isActive, isSettled, type TaskOutcome, type TaskRecord } from "./task-record.ts";

/**
 * The tasks of one session: those of this process in step with its runs and agents, and written to disk at each change of
 * state. Tasks that an earlier process of the session has left are in it as well, and those of another one that has the
 * session open now; of these it knows what their owner has written.
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
  #unfollow: (() => void) | undefined;
  #signsOfLife: NodeJS.Timeout | undefined;

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

  /**
   * pi is in this session from now on: reads what other processes have written. What happens here is followed from the first
   * time on for as long as this process lives, also while pi is in another session; nobody else would write it down.
   */
  enter(): void {
    this.refresh();
    if (this.#unfollow !== undefined) return;
    const unlistenRuns = this.#service.registry.onChange(() => {
      this.#followRuns();
    });
    const unlistenAgents = this.#pool.onChange((task) => {
      this.#followAgent(task);
    });
    this.#unfollow = () => {
      unlistenRuns();
      unlistenAgents();
    };
    this.#followRuns();
    this.#changed();
  }

  /** Another book takes the place of this one: nothing is active here any more, and nothing is written. */
  retire(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
    clearInterval(this.#signsOfLife);
    this.#signsOfLife = undefined;
    this.#changed();
    this.#listeners.clear();
  }

  /** Reads on in what other processes write. What nobody runs any more has ended afterwards. */
  refresh(): void {
    const others = this.#journal.readSession(this.sessionId, (runId) => this.#isOwn(runId));
    for (const record of others) this.#takeIn(record);
  }

  /** All of them, oldest first, as known at the last `refresh`. */
  list(): TaskRecord[] {
    return [...this.#records.values()].sort((a, b) => a.createdAtMs - b.createdAtMs);
  }

  get(runId: string): TaskRecord | undefined {
    return this.#records.get(runId);
  }

  /** Whether another process runs it: one that has this session open, or that of another session. */
  isElsewhere(record: TaskRecord): boolean {
    return record.sessionId !== this.sessionId || record.owner !== undefined;
  }

  /** The other pi of this very session that runs it, if one does. */
  ownerBeside(record: TaskRecord): TaskOwner | undefined {
    return record.sessionId === this.sessionId ? record.owner : undefined;
  }

  /** Those of this process of which something runs, or is to. */
  active(): TaskRecord[] {
    if (this.#unfollow === undefined) return [];
    return [...this.#records.values()].filter((record) => isActive(record) && !this.isElsewhere(record));
  }

  /** Hears of every change in this process. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notes something that only the reader of a task knows. */
  note(record: TaskRecord, facts: Partial<Pick<TaskRecord, "readTo" | "usageTold">>): void {
    const own = this.#records.get(record.runId);
    // Its owner would write over it, or be written over.
    if (own !== undefined && !this.isElsewhere(own)) this.#put({ ...own, ...facts });
  }

  #isOwn(runId: string): boolean {
    const record = this.#records.get(runId);
    return record !== undefined && !this.isElsewhere(record);
  }

  #takeIn(found: TaskRecord): void {
    // Whoever heard of the one before may have looked already.
    if (this.#isOwn(found.runId)) return;
    const { owner, ...record } = found;
    const run = this.#service.registry.get(record.runId);
    if (run !== undefined || this.#pool.get(record.runId) !== undefined || isSettled(record)) {
      this.#records.set(record.runId, record);
      // The modules were evaluated anew; the pool that has started it is gone.
      if (record.state === "running" && record.kind === "agent" && run !== undefined) this.#pool.adopt(record, run);
    } else if (isWithoutOwner(owner)) this.#takeOver(record);
    else this.#records.set(record.runId, found);
  }

  /** What was running when its host was lost has ended with it; the supervisors see to that. */
  #takeOver(record: TaskRecord): void {
    if (record.state === "ended") {
      this.#records.set(record.runId, { ...record, membersLeft: false });
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
    const { description, captureError } = run;
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
      ...(captureError !== undefined && {
        captureError: { code: captureError.code, bytesLost: captureError.bytesLost },
      }),
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
    this.#changed();
  }

  #changed(): void {
    this.#giveSignsOfLife();
    for (const listener of [...this.#listeners]) listener();
  }

  /** While something runs here, others see that there is somebody to run it. */
  #giveSignsOfLife(): void {
    if (this.#signsOfLife !== undefined || this.active().length === 0) return;
    this.#signsOfLife = setInterval(() => {
      const active = this.active();
      for (const record of active) this.#journal.write(record);
      if (active.length > 0) return;
      clearInterval(this.#signsOfLife);
      this.#signsOfLife = undefined;
    }, SIGN_OF_LIFE_EVERY_MS).unref();
  }
}

function outcomeOfRun(run: Run): TaskOutcome {
  if (run.leftover) return run.stopAsked ? "killed" : "exited";
  if (run.reason === "timeout") return "timed_out";
  if (run.state === "killed") return "killed";
  return run.exit?.code === undefined ? "failed" : "exited";
}
