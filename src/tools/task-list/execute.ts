import { formatTaskList } from "../../format/task-results.ts";
import type { TaskStore } from "../../tasks/store.ts";
import { isVisible, liveBlockers, type TaskList, type TaskStatus } from "../../tasks/task.ts";
import { toolFailure } from "../tool-failure.ts";

export interface ListedTask {
  id: string;
  subject: string;
  status: TaskStatus;
  owner?: string;
  /** Known and not completed. */
  blockedBy: string[];
}

export interface TaskListDetails {
  tasks: ListedTask[];
}

function listVisible(list: TaskList): ListedTask[] {
  return list.tasks.filter(isVisible).map((task) => ({
    id: task.id,
    subject: task.subject,
    status: task.status,
    ...(task.owner === undefined ? {} : { owner: task.owner }),
    blockedBy: task.blockedBy.length === 0 ? [] : liveBlockers(list, task),
  }));
}

/** All visible tasks. */
export async function executeTaskList(store: TaskStore): Promise<{ text: string; details: TaskListDetails }> {
  try {
    const tasks = listVisible(await store.read());
    return { text: formatTaskList(tasks), details: { tasks } };
  } catch (error) {
    throw toolFailure("TaskList", error);
  }
}
