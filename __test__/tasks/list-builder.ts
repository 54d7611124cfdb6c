// Lists for tests, made with the real transitions.
import { createTask } from "../../src/tasks/create-task.ts";
import { EMPTY_LIST, type TaskList } from "../../src/tasks/task.ts";
import { updateTask, type TaskChange } from "../../src/tasks/update-task.ts";

/** A list with one pending task per subject. */
export function listOf(...subjects: string[]): TaskList {
  return subjects.reduce<TaskList>((list, subject) => createTask(list, { subject, description: "" }).list, EMPTY_LIST);
}

/** The list after a change that must hit a task. */
export function changed(list: TaskList, id: string, change: TaskChange): TaskList {
  const outcome = updateTask(list, id, change);
  if (outcome === undefined) throw new Error(`no task ${id}`);
  return outcome.list;
}
