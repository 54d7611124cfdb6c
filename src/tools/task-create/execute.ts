import { formatCreated } from "../../format/task-results.ts";
import type { TaskCreateArguments } from "../../schema/task-create.ts";
import { createTask } from "../../tasks/create-task.ts";
import type { TaskStore } from "../../tasks/store.ts";
import { toolFailure } from "../tool-failure.ts";

export interface TaskCreateDetails {
  task: { id: string; subject: string };
}

/** Adds a task. */
export async function executeTaskCreate(
  store: TaskStore,
  wanted: TaskCreateArguments,
  signal?: AbortSignal,
): Promise<{ text: string; details: TaskCreateDetails }> {
  try {
    const { result, note } = await store.mutate((list) => {
      const created = createTask(list, wanted);
      return { list: created.list, result: created.task };
    }, signal);
    const { id, subject } = result;
    return { text: formatCreated(result) + note, details: { task: { id, subject } } };
  } catch (error) {
    throw toolFailure("TaskCreate", error);
  }
}
