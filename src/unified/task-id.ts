/** Which kind of task an id names. */
export type TaskKind = "bash" | "agent";

export interface ParsedTaskId {
  /** As the model writes it: `bash:<run id>` or `agent:<run id>`. */
  taskId: string;
  kind: TaskKind;
  runId: string;
}

/** An id taken apart; undefined for what can be no id of ours. */
export function parseTaskId(text: string): ParsedTaskId | undefined {
  const match = /^(bash|agent):([A-Za-z0-9_-]{1,64})$/.exec(text);
  const [, kind, runId] = match ?? [];
  if (runId === undefined || (kind !== "bash" && kind !== "agent")) return undefined;
  return { taskId: text, kind, runId };
}

/** What to say of an id that cannot be one. */
export function malformedIdReason(text: string): string {
  return `${JSON.stringify(text.slice(0, 100))} is no task ID: one looks like "bash:l1a2b3c4d" or "agent:l1a2b3c4d".`;
}
