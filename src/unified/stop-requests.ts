import { guard } from "../runs/registry.ts";
import type { UnifiedSession } from "./session.ts";
import { terminateTasks } from "./terminate.ts";

/** How often an agent looks whether somebody wants a task of it ended: an ancestor's model waits for that. */
const AGENT_LOOKS_EVERY_MS = 250;
/** Elsewhere it can only be another pi of the same session, which is rare; a look costs a fraction of a millisecond. */
const LOOK_EVERY_MS = 1_000;

/**
 * Ends what others ask for while this process runs something of the session: an ancestor of an agent, or another pi of the
 * same session. They cannot reach the runs of this process; they leave a note. Until the returned function is called.
 */
export function followStopRequests(session: UnifiedSession, graceMs: number): () => void {
  const { book } = session;
  const everyMs = book.ancestry.taskId === undefined ? LOOK_EVERY_MS : AGENT_LOOKS_EVERY_MS;
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const look = (): void => {
    guard(() => {
      const own = new Map(book.active().map(({ runId, taskId }) => [runId, taskId]));
      const wanted = session.parts.journal.takeStopRequests(session.sessionId, (runId) => own.has(runId));
      if (wanted.length > 0) {
        void endTasks(
          session,
          wanted.flatMap((runId) => own.get(runId) ?? []),
          graceMs,
        );
      }
    });
  };
  const follow = (): void => {
    if (book.active().length === 0) stop();
    else timer ??= setInterval(look, everyMs).unref();
  };
  const unlisten = book.onChange(follow);
  follow();
  return () => {
    unlisten();
    stop();
  };
}

async function endTasks(session: UnifiedSession, taskIds: readonly string[], graceMs: number): Promise<void> {
  const { parts, scope, book } = session;
  const rows = await terminateTasks({ ...parts, scope, book, graceMs }, taskIds, undefined);
  // Whoever stops a task knows of its end; here that is another model. An ancestor ends its agent as well, most of the time.
  if (parts.ancestry.taskId !== undefined) return;
  const { registry } = parts.service;
  for (const record of book.list()) {
    const isEnded = rows.some((row) => row.status === "terminated" && row.terminatedTaskIds.includes(record.taskId));
    const run = isEnded ? registry.get(record.runId) : undefined;
    if (run !== undefined) registry.untell(run);
  }
}
