// What a task and a list of tasks are, and what can be read from them. Nothing here changes anything.
import type { Metadata } from "./metadata.ts";

export const TASK_STATUSES = ["pending", "in_progress", "completed"] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

/** One task. Frozen: whoever holds one holds it as it was at that moment. */
export interface Task {
  /** A positive whole number in decimal. */
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly status: TaskStatus;
  /** Label while in progress. Never empty. */
  readonly activeForm?: string;
  /** Never empty. */
  readonly owner?: string;
  /** Ids of tasks that wait for this one; numeric order, no duplicates, mirrored in their `blockedBy`. */
  readonly blocks: readonly string[];
  /** Ids of tasks that this one waits for; numeric order, no duplicates, mirrored in their `blocks`. */
  readonly blockedBy: readonly string[];
  /** Never empty. `_internal: true` hides the task from TaskList and the widget. */
  readonly metadata?: Metadata;
}

/** A list at one moment; also the shape of a snapshot. Frozen. */
export interface TaskList {
  /** In numeric order of id. */
  readonly tasks: readonly Task[];
  /** The highest id ever given; never goes down. */
  readonly highWaterMark: number;
  /** Counts mutations over all branches and copies of this list. */
  readonly revision: number;
}

export const EMPTY_LIST: TaskList = Object.freeze({ tasks: Object.freeze([]), highWaterMark: 0, revision: 0 });

/** Above this, adding one to an id would no longer be exact. */
const HIGHEST_ID = Number.MAX_SAFE_INTEGER - 1;

/** The number of an id, or nothing when it cannot be one of ours. */
export function parseTaskId(id: string): number | undefined {
  if (!/^[1-9][0-9]{0,15}$/.test(id)) return undefined;
  const number = Number(id);
  return number <= HIGHEST_ID ? number : undefined;
}

/** Numeric order of ids. */
export function compareIds(left: string, right: string): number {
  return Number(left) - Number(right);
}

/** Where the task is in the list; -1: not there. The list is sorted, so ten thousand tasks cost fourteen looks. */
export function indexOfTask(tasks: readonly Task[], id: string): number {
  const wanted = parseTaskId(id);
  if (wanted === undefined) return -1;
  let low = 0;
  let high = tasks.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const at = Number(tasks[middle]?.id);
    if (at === wanted) return middle;
    if (at < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** The task with this id, or nothing. */
export function findTask(list: TaskList, id: string): Task | undefined {
  return list.tasks[indexOfTask(list.tasks, id)];
}

/** Shown in TaskList and the widget. */
export function isVisible(task: Task): boolean {
  return task.metadata?.["_internal"] !== true;
}

/** Blockers that still hold the task up: known and not completed. */
export function liveBlockers(list: TaskList, task: Task): string[] {
  return task.blockedBy.filter((id) => {
    const blocker = findTask(list, id);
    return blocker !== undefined && blocker.status !== "completed";
  });
}

/** How many visible tasks are in each state. */
export interface TaskCounts {
  pending: number;
  inProgress: number;
  completed: number;
  total: number;
}

/** Counts the visible tasks. */
export function countVisible(list: TaskList): TaskCounts {
  const counts: TaskCounts = { pending: 0, inProgress: 0, completed: 0, total: 0 };
  for (const task of list.tasks) {
    if (!isVisible(task)) continue;
    counts.total += 1;
    if (task.status === "pending") counts.pending += 1;
    else if (task.status === "in_progress") counts.inProgress += 1;
    else counts.completed += 1;
  }
  return counts;
}
