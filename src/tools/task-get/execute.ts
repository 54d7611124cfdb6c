import { formatDetail, TASK_NOT_FOUND } from "../../format/task-results.ts";
import type { TaskGetArguments } from "../../schema/task-get.ts";
import type { TaskStore } from "../../tasks/store.ts";
import { findTask, type TaskStatus } from "../../tasks/task.ts";
import { toolFailure } from "../tool-failure.ts";

export interface TaskGetDetails {
  task: {
    id: string;
    subject: string;
    description: string;
    status: TaskStatus;
    blocks: readonly string[];
    blockedBy: readonly string[];
  } | null;
}

/** Everything about one task, edges as stored. */
export async function executeTaskGet(
  store: TaskStore,
  { taskId }: TaskGetArguments,
): Promise<{ text: string; details: TaskGetDetails }> {
  try {
    const task = findTask(await store.read(), taskId);
    if (task === undefined) return { text: TASK_NOT_FOUND, details: { task: null } };
    const { id, subject, description, status, blocks, blockedBy } = task;
    return { text: formatDetail(task), details: { task: { id, subject, description, status, blocks, blockedBy } } };
  } catch (error) {
    throw toolFailure("TaskGet", error);
  }
}
