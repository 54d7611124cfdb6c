// A new task at the end of the list.
import { recordedMetadata, type Metadata } from "./metadata.ts";
import type { Task, TaskList } from "./task.ts";

export interface NewTask {
  subject: string;
  description: string;
  activeForm?: string;
  metadata?: Metadata;
}

/** The list with the task added, and the task. Its id is one above the highest ever given. The revision is the caller's. */
export function createTask(list: TaskList, wanted: NewTask): { list: TaskList; task: Task } {
  const highWaterMark = list.highWaterMark + 1;
  const metadata = recordedMetadata(wanted.metadata);
  const task: Task = Object.freeze({
    id: String(highWaterMark),
    subject: wanted.subject,
    description: wanted.description,
    status: "pending",
    ...(wanted.activeForm ? { activeForm: wanted.activeForm } : {}),
    blocks: Object.freeze([]),
    blockedBy: Object.freeze([]),
    ...(metadata === undefined ? {} : { metadata }),
  });
  return { list: Object.freeze({ ...list, tasks: Object.freeze([...list.tasks, task]), highWaterMark }), task };
}
