import type { AgentToolResult, ExtensionToolContext } from "@earendil-works/pi-coding-agent";
import { LEGACY_TERMINATE_NAME } from "../../schema/legacy-bash.ts";
import { checkAwait, DEFAULT_AWAIT_SECS, type AwaitArguments } from "../../schema/unified-await.ts";
import type { AwaitRow } from "../../unified/await-row.ts";
import { START_BOUND_MS, type UnifiedSession } from "../../unified/session.ts";
import type { TaskRecord } from "../../unified/task-record.ts";
import { waitForTasks } from "../../unified/wait-for-tasks.ts";
import { jsonResult } from "../json-result.ts";
import type { UnifiedTool } from "../unified-task/task-tool.ts";

/** So many fruitless waits in a row are a habit. */
const FRUITLESS_AWAITS = 3;

export interface AwaitPayload {
  tasks: AwaitRow[];
  note?: string;
}

/** Runs one call of `task_await`. Throws only for arguments that contradict each other. */
export async function executeAwait(
  tool: UnifiedTool,
  args: AwaitArguments,
  signal: AbortSignal | undefined,
  context: Pick<ExtensionToolContext, "hasPendingMessages">,
): Promise<AgentToolResult<AwaitPayload>> {
  const issues = checkAwait(args);
  if (issues.length > 0) {
    throw new Error(`task_await: the arguments are wrong:\n${issues.map((issue) => `- ${issue}`).join("\n")}`);
  }
  const session = tool.session();
  const timeoutSecs = args.timeout_secs ?? DEFAULT_AWAIT_SECS;
  const { interruption, release } = session.openWait(signal);
  try {
    if (context.hasPendingMessages()) session.interruptWaits();
    const known = new Set(session.book.list());
    const ids = args.task_ids ?? [];
    const startedAt = performance.now();
    // A task that has an id has been started.
    const boundMs = Math.max(timeoutSecs * 1000, START_BOUND_MS);
    const allStarted = ids.length > 0 || (await session.waitForStarts(boundMs, interruption));
    const taskIds = ids.length > 0 ? [...new Set(ids)] : activeTasks(session, known);
    if (taskIds.length === 0) {
      const note = allStarted
        ? "Nothing is queued or running."
        : "What was asked for in this turn has not started yet.";
      return jsonResult({ tasks: [], note });
    }
    const { rows, interrupted, completed } = await waitForTasks(
      {
        ...session.parts,
        book: session.book,
        scope: session.scope,
        interruption,
        terminateTool: tool.config.surface === "classic" ? LEGACY_TERMINATE_NAME : "task_terminate",
      },
      {
        taskIds,
        filter: args.filter,
        exclude: args.filter_exclude,
        timeoutMs: timeoutSecs * 1000 - (performance.now() - startedAt),
        minCompleted: args.min_completed,
      },
    );
    for (const record of completed) markTold(session, record);
    const note = interrupted ? undefined : noteFruitless(session, rows, timeoutSecs, tool.config.notify);
    return jsonResult<AwaitPayload>({ tasks: rows, ...(note !== undefined && { note }) });
  } finally {
    release();
  }
}

/** What is queued or running, and what this turn has started, even if it has ended meanwhile. */
function activeTasks(session: UnifiedSession, known: ReadonlySet<TaskRecord>): string[] {
  const before = new Set([...known].map(({ taskId }) => taskId));
  return session.scope
    .list()
    .filter(
      ({ sessionId, taskId, state }) => state !== "ended" || (sessionId === session.sessionId && !before.has(taskId)),
    )
    .map(({ taskId }) => taskId);
}

/** Who has read the end of a task is not told of it again. */
function markTold(session: UnifiedSession, record: TaskRecord): void {
  const { registry } = session.parts.service;
  const run = record.sessionId === session.sessionId ? registry.get(record.runId) : undefined;
  if (run === undefined || run.told || run.state === "running") return;
  run.told = true;
  registry.save(run);
}

function noteFruitless(
  session: UnifiedSession,
  rows: readonly AwaitRow[],
  timeoutSecs: number,
  isTold: boolean,
): string | undefined {
  const broughtSomething = rows.some(
    (row) => row.status === "completed" || (row.status === "running" && row.output !== undefined),
  );
  if (broughtSomething) session.fruitlessAwaits = 0;
  else if (timeoutSecs < DEFAULT_AWAIT_SECS) session.fruitlessAwaits++;
  if (session.fruitlessAwaits < FRUITLESS_AWAITS) return undefined;
  return (
    `${session.fruitlessAwaits} awaits in a row brought nothing new. Wait longer (timeout_secs is ${DEFAULT_AWAIT_SECS} by default) ` +
    `or do other work${isTold ? ": you are told when a task ends" : ""}.`
  );
}
