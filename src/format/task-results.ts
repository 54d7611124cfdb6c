// What the four tools answer, to the letter.
import { formatIds } from "./task-line.ts";

export const TASK_NOT_FOUND = "Task not found";

export function formatCreated(task: { id: string; subject: string }): string {
  return `Task #${task.id} created successfully: ${task.subject}`;
}

export interface TaskDetail {
  id: string;
  subject: string;
  description: string;
  status: string;
  blocks: readonly string[];
  blockedBy: readonly string[];
}

/** Edges as stored, completed ones too. */
export function formatDetail(task: TaskDetail): string {
  const lines = [`Task #${task.id}: ${task.subject}`, `Status: ${task.status}`, `Description: ${task.description}`];
  if (task.blockedBy.length > 0) lines.push(`Blocked by: ${formatIds(task.blockedBy)}`);
  if (task.blocks.length > 0) lines.push(`Blocks: ${formatIds(task.blocks)}`);
  return lines.join("\n");
}

/** @param lines one per visible task, from `formatTaskLine` */
export function formatTaskList(lines: readonly string[]): string {
  if (lines.length === 0) return "No tasks found";
  // Ten thousand lines: appending takes a fifth of the time of `join`.
  let text = "";
  for (const line of lines) text += text === "" ? line : `\n${line}`;
  return text;
}

/** Ends in a blank when nothing has changed; readers of the format expect it. */
export function formatUpdated(id: string, updatedFields: readonly string[]): string {
  return `Updated task #${id} ${updatedFields.join(", ")}`;
}

/** Appended to the update that completed the last task. */
export const VERIFICATION_NUDGE =
  '\n\nNOTE: All tasks are completed, but none of them was a verification. Before you report the work as done, start a sub-agent with subagent_type="verification" that checks the result independently.';
