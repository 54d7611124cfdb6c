import type { AgentPool } from "../agents/pool.ts";
import type { RunService } from "../runs/service.ts";
import { stopTask } from "../runs/stop.ts";
import type { TaskJournal } from "./journal.ts";
import { malformedIdReason, parseTaskId } from "./task-id.ts";
import type { TaskBook } from "./task-book.ts";
import { isActive, type TaskRecord } from "./task-record.ts";
import type { TaskScope } from "./task-scope.ts";

/** A request to another process is looked for once a second or more often, and a stop is reported within five after its grace. */
const ANSWER_AFTER_GRACE_MS = 6_000;
const LOOK_EVERY_MS = 100;

export type TerminateRow =
  | { status: "terminated"; taskId: string; terminatedTaskIds: string[] }
  | { status: "not_found"; taskId: string; activeTaskIds: string[] }
  | { status: "invalid_scope"; taskId: string }
  | { status: "error"; taskId: string; error: string; terminatedTaskIds?: string[] };

export interface TerminateParts {
  service: RunService;
  pool: AgentPool;
  journal: TaskJournal;
  scope: TaskScope;
  book: TaskBook;
  graceMs: number;
}

/** Ends each of the tasks, independently of the others, and says how that came out. An abort ends the waits, not the stops. */
export async function terminateTasks(
  parts: TerminateParts,
  taskIds: readonly string[],
  signal: AbortSignal | undefined,
): Promise<TerminateRow[]> {
  return Promise.all([...new Set(taskIds)].map((taskId) => terminateOne(parts, taskId, signal)));
}

async function terminateOne(
  parts: TerminateParts,
  taskId: string,
  signal: AbortSignal | undefined,
): Promise<TerminateRow> {
  const parsed = parseTaskId(taskId);
  if (parsed === undefined) return { status: "error", taskId, error: malformedIdReason(taskId) };
  const found = parts.scope.find(taskId, parsed.runId);
  if (found.kind === "someone-else") return { status: "invalid_scope", taskId };
  if (found.kind === "unknown") {
    return { status: "not_found", taskId, activeTaskIds: parts.scope.active().map((record) => record.taskId) };
  }
  const { record } = found;
  const ended: string[] = [];
  try {
    // An agent that has ended may have left nothing; what is below it ended with it.
    const below = parts.scope.below(record).filter((task) => task.state !== "ended");
    const depths = [...new Set(below.map((task) => task.depth))].sort((a, b) => b - a);
    for (const depth of depths) {
      const level = below.filter((task) => task.depth === depth);
      const failures = await Promise.all(level.map((task) => endTask(parts, task, signal)));
      level.forEach((task, index) => {
        if (failures[index] === undefined) ended.push(task.taskId);
      });
    }
    const failure = await endTask(parts, record, signal);
    if (failure === undefined) return { status: "terminated", taskId, terminatedTaskIds: [...ended, taskId] };
    return { status: "error", taskId, error: failure, ...(ended.length > 0 && { terminatedTaskIds: ended }) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { status: "error", taskId, error: reason, ...(ended.length > 0 && { terminatedTaskIds: ended }) };
  }
}

/** Undefined when the task has ended by this; otherwise why it has not. */
async function endTask(
  parts: TerminateParts,
  record: TaskRecord,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (parts.book.isElsewhere(record)) return endElsewhere(parts, record, signal);
  const agent = parts.pool.get(record.runId);
  if (agent !== undefined && parts.pool.dropQueued(agent, "The agent was ended before its turn came."))
    return undefined;
  const outcome = await stopTask(parts.service.registry, record.runId, { graceMs: parts.graceMs, signal });
  switch (outcome.kind) {
    case "stopped":
      if (agent !== undefined) await parts.pool.waitForResult(agent);
      return undefined;
    case "still-running":
      return signal?.aborted === true
        ? "The call was aborted before the task had ended; it is being ended all the same."
        : `${outcome.count} processes of the task are still running: ${outcome.survivors.map(({ pid, command, why }) => `${pid} ${command} (${why})`).join(", ") || "unknown ones"}`;
    default:
      return `The task is not running (${record.outcome ?? "ended"}).`;
  }
}

/** A task of a descendant, or of another pi of this session. Its process ends it, and its record says when. */
async function endElsewhere(
  parts: TerminateParts,
  record: TaskRecord,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (!isActive(record)) return `The task is not running (${record.outcome ?? "ended"}).`;
  const beside = parts.book.ownerBeside(record);
  const owner =
    beside === undefined
      ? "The agent that owns the task"
      : `The pi of this session that owns the task (process ${beside.pid})`;
  if (!parts.journal.askToStop(record)) return `${owner} could not be reached.`;
  const deadline = performance.now() + parts.graceMs + ANSWER_AFTER_GRACE_MS;
  const unhold = parts.service.registry.hold();
  try {
    while (performance.now() < deadline) {
      if (signal?.aborted === true)
        return "The call was aborted before the task had ended; it is being ended all the same.";
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      const now = parts.scope.find(record.taskId, record.runId);
      if (now.kind === "mine" && !isActive(now.record)) return undefined;
    }
    return `${owner} did not end it in time.`;
  } finally {
    unhold();
  }
}
