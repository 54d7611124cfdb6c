import { guard } from "../runs/registry.ts";
import type { TaskBook } from "./task-book.ts";
import { TaskScope } from "./task-scope.ts";
import { terminateTasks, type TerminateParts } from "./terminate.ts";

type Parts = Pick<TerminateParts, "service" | "pool" | "journal">;

/** How often an agent looks whether somebody wants a task of it ended: an ancestor's model waits for that. */
const AGENT_LOOKS_EVERY_MS = 250;
/** Elsewhere it can only be another pi of the same session, which is rare; a look costs a fraction of a millisecond. */
const LOOK_EVERY_MS = 1_000;

/**
 * Ends what others ask for while this process runs something of the book's session: an ancestor of an agent, or another pi of
 * the same session. They cannot reach the runs of this process; they leave a note. Whichever session pi is in meanwhile.
 */
export function followStopRequests(parts: Parts, book: TaskBook, graceMs: number): void {
  const everyMs = book.ancestry.taskId === undefined ? LOOK_EVERY_MS : AGENT_LOOKS_EVERY_MS;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    guard(() => {
      const own = new Map(book.active().map(({ runId, taskId }) => [runId, taskId]));
      const wanted = parts.journal.takeStopRequests(book.sessionId, (runId) => own.has(runId));
      if (wanted.length === 0) return;
      const taskIds = wanted.flatMap((runId) => own.get(runId) ?? []);
      void endTasks(parts, book, taskIds, graceMs);
    });
  };
  book.onChange(() => {
    if (book.active().length > 0) timer ??= setInterval(look, everyMs).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  });
}

async function endTasks(parts: Parts, book: TaskBook, taskIds: readonly string[], graceMs: number): Promise<void> {
  const scope = new TaskScope(book, parts.journal);
  const rows = await terminateTasks({ ...parts, scope, book, graceMs }, taskIds, undefined);
  // Whoever stops a task knows of its end; here that is another model. An ancestor ends its agent as well, most of the time.
  if (book.ancestry.taskId !== undefined) return;
  const { registry } = parts.service;
  for (const record of book.list()) {
    const isEnded = rows.some((row) => row.status === "terminated" && row.terminatedTaskIds.includes(record.taskId));
    const run = isEnded ? registry.get(record.runId) : undefined;
    if (run !== undefined) registry.untell(run);
  }
}
