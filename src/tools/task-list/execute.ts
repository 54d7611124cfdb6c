import { formatTaskLine } from "../../format/task-line.ts";
import { formatTaskList } from "../../format/task-results.ts";
import type { TaskStore } from "../../tasks/store.ts";
import { isVisible, liveBlockers, type Task, type TaskList, type TaskStatus } from "../../tasks/task.ts";
import { toolFailure } from "../tool-failure.ts";

export interface ListedTask {
  id: string;
  subject: string;
  status: TaskStatus;
  owner?: string;
  /** Known and not completed. */
  blockedBy: readonly string[];
}

export interface TaskListDetails {
  tasks: ListedTask[];
}

const NO_BLOCKERS: readonly string[] = Object.freeze([]);

function listTask(task: Task, blockedBy: readonly string[]): ListedTask {
  const { id, subject, status, owner } = task;
  return { id, subject, status, ...(owner === undefined ? {} : { owner }), blockedBy };
}

interface Listing {
  listed: ListedTask;
  line: string;
}

/** Tasks never change, so how one without blockers is listed depends on nothing else and is worked out once. */
const unblocked = new WeakMap<Task, Listing>();

function listingOf(list: TaskList, task: Task): Listing {
  if (task.blockedBy.length > 0) {
    const listed = listTask(task, liveBlockers(list, task));
    return { listed, line: formatTaskLine(listed) };
  }
  let listing = unblocked.get(task);
  if (listing === undefined) {
    const listed = Object.freeze(listTask(task, NO_BLOCKERS));
    listing = { listed, line: formatTaskLine(listed) };
    unblocked.set(task, listing);
  }
  return listing;
}

/** All visible tasks. */
export async function executeTaskList(store: TaskStore): Promise<{ text: string; details: TaskListDetails }> {
  try {
    const list = await store.read();
    const tasks: ListedTask[] = [];
    const lines: string[] = [];
    for (const task of list.tasks) {
      if (!isVisible(task)) continue;
      const { listed, line } = listingOf(list, task);
      tasks.push(listed);
      lines.push(line);
    }
    return { text: formatTaskList(lines), details: { tasks } };
  } catch (error) {
    throw toolFailure("TaskList", error);
  }
}
