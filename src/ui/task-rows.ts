// Which tasks are shown in how many rows. Pure: the same list, rows and state give the same lines.
import { formatTaskHead } from "../format/task-counts.ts";
import { formatTaskLine } from "../format/task-line.ts";
import { countVisible, isVisible, liveBlockers, type Task, type TaskList, type TaskStatus } from "../tasks/task.ts";
import { plainLine } from "./cells.ts";

export interface TaskRow {
  kind: "head" | TaskStatus | "more";
  text: string;
}

const MARK: Record<TaskStatus, string> = { pending: "▫", in_progress: "▪", completed: "✓" };

/** The fewest rows: head line and one more. */
const MIN_ROWS = 2;

/** Characters of a subject or an owner that can matter on the widest screen; the rest is not even looked at. */
const MAX_TEXT_CHARS = 1_000;

function taskRow(list: TaskList, task: Task): TaskRow {
  const line = formatTaskLine({
    id: task.id,
    status: task.status,
    subject: task.subject.slice(0, MAX_TEXT_CHARS),
    owner: task.owner?.slice(0, MAX_TEXT_CHARS),
    blockedBy: liveBlockers(list, task),
  });
  return { kind: task.status, text: plainLine(`${MARK[task.status]} ${line}`) };
}

/** The first `count` visible tasks, those in progress before pending before completed ones. */
function mostUseful(tasks: readonly Task[], count: number): Task[] {
  const chosen: Task[] = [];
  for (const status of ["in_progress", "pending", "completed"] as const) {
    for (const task of tasks) {
      if (chosen.length >= count) return chosen;
      if (task.status === status && isVisible(task)) chosen.push(task);
    }
  }
  return chosen;
}

/**
 * Head line and a row per visible task; what does not fit is counted in a last row. No rows when nothing is visible.
 *
 * @param collapsed only the head line
 */
export function taskRows(list: TaskList, maxRows: number, collapsed: boolean): TaskRow[] {
  const counts = countVisible(list);
  if (counts.total === 0) return [];
  const head: TaskRow = { kind: "head", text: formatTaskHead(counts) };
  if (collapsed) return [head];
  const room = Math.max(MIN_ROWS, Math.floor(maxRows)) - 1;
  if (counts.total <= room) {
    return [head, ...list.tasks.filter(isVisible).map((task) => taskRow(list, task))];
  }
  const shown = mostUseful(list.tasks, room - 1).map((task) => taskRow(list, task));
  return [head, ...shown, { kind: "more", text: `+${counts.total - shown.length} more` }];
}
