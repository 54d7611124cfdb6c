// A new task at the end of the list.
import { frozenCopy } from "./frozen.ts";
import { type Metadata, type Task, type TaskList } from "./task.ts";

export interface NewTask {
  subject: string;
  description: string;
  activeForm?: string;
  metadata?: Metadata;
}

/** The list with the task added, and the task. Its id is one above the highest ever given. The revision is the caller's. */
export function createTask(list: TaskList, wanted: NewTask): { list: TaskList; task: Task } {
  const highWaterMark = list.highWaterMark + 1;
  const task: Task = Object.freeze({
    id: String(highWaterMark),
    subject: wanted.subject,
    description: wanted.description,
    status: "pending",
    ...(wanted.activeForm ? { activeForm: wanted.activeForm } : {}),
    blocks: Object.freeze([]),
    blockedBy: Object.freeze([]),
    ...(wanted.metadata && Object.keys(wanted.metadata).length > 0 ? { metadata: frozenCopy(wanted.metadata) } : {}),
  });
  return { list: Object.freeze({ ...list, tasks: Object.freeze([...list.tasks, task]), highWaterMark }), task };
}
