// Changing or deleting one task.
import { isDeepStrictEqual } from "node:util";
import { addEdges, withoutEdgesTo } from "./edges.ts";
import { recordedMetadata, type Metadata } from "./metadata.ts";
import { indexOfTask, type Task, type TaskList, type TaskStatus } from "./task.ts";

export interface TaskChange {
  status?: TaskStatus | "deleted";
  subject?: string;
  description?: string;
  /** Empty: none. */
  activeForm?: string;
  /** Empty: none. */
  owner?: string;
  addBlocks?: readonly string[];
  addBlockedBy?: readonly string[];
  /** Laid over what is there; a null removes its key. */
  metadata?: Metadata;
}

/** In the order in which they are reported. */
export type UpdatedField =
  "subject" | "description" | "activeForm" | "owner" | "metadata" | "status" | "blocks" | "blockedBy" | "deleted";

export interface UpdateOutcome {
  /** The same object as before when nothing changed. */
  list: TaskList;
  /** What really changed, compared by value. */
  updatedFields: UpdatedField[];
  statusChange?: { from: TaskStatus; to: TaskStatus | "deleted" };
}

function mergeMetadata(current: Metadata | undefined, change: Metadata): Metadata | undefined {
  const merged = new Map(Object.entries(current ?? {}));
  for (const [key, value] of Object.entries(change)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  // fromEntries defines properties instead of assigning them, so a key called __proto__ is a key like any other.
  return recordedMetadata(Object.fromEntries(merged));
}

function deleteTask(list: TaskList, index: number, task: Task): UpdateOutcome {
  const tasks = withoutEdgesTo(list.tasks.toSpliced(index, 1), task.id);
  return {
    list: Object.freeze({ ...list, tasks: Object.freeze(tasks) }),
    updatedFields: ["deleted"],
    statusChange: { from: task.status, to: "deleted" },
  };
}

/** The task with the plain fields of the change; edges are the list's business. */
function applyFields(task: Task, change: TaskChange, updated: UpdatedField[]): Task {
  const { activeForm, owner, metadata, ...rest } = task;
  const next = {
    ...rest,
    subject: change.subject ?? task.subject,
    description: change.description ?? task.description,
    status: change.status === undefined || change.status === "deleted" ? task.status : change.status,
  };
  const optional = {
    activeForm: change.activeForm === undefined ? activeForm : change.activeForm || undefined,
    owner: change.owner === undefined ? owner : change.owner || undefined,
    metadata: change.metadata === undefined ? metadata : mergeMetadata(metadata, change.metadata),
  };
  if (next.subject !== task.subject) updated.push("subject");
  if (next.description !== task.description) updated.push("description");
  if (optional.activeForm !== activeForm) updated.push("activeForm");
  if (optional.owner !== owner) updated.push("owner");
  if (!isDeepStrictEqual(optional.metadata, metadata)) updated.push("metadata");
  if (next.status !== task.status) updated.push("status");
  if (updated.length === 0) return task;
  return Object.freeze({
    ...next,
    ...(optional.activeForm === undefined ? {} : { activeForm: optional.activeForm }),
    ...(optional.owner === undefined ? {} : { owner: optional.owner }),
    ...(optional.metadata === undefined ? {} : { metadata: optional.metadata }),
  });
}

/**
 * The list with the change made, and what of it was a change. Every status may follow every other. A deletion ignores
 * the other fields of the change. The revision is the caller's.
 *
 * @returns nothing when there is no such task
 */
export function updateTask(list: TaskList, id: string, change: TaskChange): UpdateOutcome | undefined {
  const index = indexOfTask(list.tasks, id);
  const task = list.tasks[index];
  if (task === undefined) return undefined;
  if (change.status === "deleted") return deleteTask(list, index, task);

  const updatedFields: UpdatedField[] = [];
  const tasks = [...list.tasks];
  tasks[index] = applyFields(task, change, updatedFields);
  if (addEdges(tasks, id, "blocks", change.addBlocks ?? [])) updatedFields.push("blocks");
  if (addEdges(tasks, id, "blockedBy", change.addBlockedBy ?? [])) updatedFields.push("blockedBy");
  if (updatedFields.length === 0) return { list, updatedFields };
  return {
    list: Object.freeze({ ...list, tasks: Object.freeze(tasks) }),
    updatedFields,
    ...(updatedFields.includes("status") && change.status !== undefined
      ? { statusChange: { from: task.status, to: change.status } }
      : {}),
  };
}
