// One task as one line, for the model and for people.
import { oneLine } from "./one-line.ts";

export interface TaskLine {
  id: string;
  status: string;
  subject: string;
  owner?: string | undefined;
  /** Only those that still hold the task up. */
  blockedBy: readonly string[];
}

/** `#1, #2` */
export function formatIds(ids: readonly string[]): string {
  return ids.map((id) => `#${id}`).join(", ");
}

/** `#<id> [<status>] <subject> (<owner>) [blocked by #<n>, #<m>]`, always a single line. */
export function formatTaskLine({ id, status, subject, owner, blockedBy }: TaskLine): string {
  let line = `#${id} [${status}] ${oneLine(subject)}`;
  if (owner) line += ` (${oneLine(owner)})`;
  if (blockedBy.length > 0) line += ` [blocked by ${formatIds(blockedBy)}]`;
  return line;
}
