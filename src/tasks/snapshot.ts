// Reading a list back from JSON that anyone may have written, torn or edited.
import { edgeList, repairEdges } from "./edges.ts";
import { recordedMetadata } from "./metadata.ts";
import { compareIds, parseTaskId, TASK_STATUSES, type Task, type TaskList, type TaskStatus } from "./task.ts";

export interface ParsedSnapshot {
  list: TaskList;
  /** Records that could not be read and were left out. */
  badRecords: number;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function idOf(value: unknown): string | undefined {
  const id = typeof value === "number" ? String(value) : value;
  return typeof id === "string" && parseTaskId(id) !== undefined ? id : undefined;
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function idsOf(value: unknown): readonly string[] {
  return edgeList(Array.isArray(value) ? value.map(idOf).filter((id) => id !== undefined) : []);
}

function parseTask(record: unknown): Task | undefined {
  if (!isObject(record)) return undefined;
  const id = idOf(record["id"]);
  const { subject, description = "", status = "pending" } = record;
  if (id === undefined || typeof subject !== "string" || typeof description !== "string") return undefined;
  if (!TASK_STATUSES.includes(status as TaskStatus)) return undefined;
  const activeForm = nonEmpty(record["activeForm"]);
  const owner = nonEmpty(record["owner"]);
  const metadata = isObject(record["metadata"]) ? recordedMetadata(record["metadata"]) : undefined;
  return Object.freeze({
    id,
    subject,
    description,
    status: status as TaskStatus,
    ...(activeForm === undefined ? {} : { activeForm }),
    ...(owner === undefined ? {} : { owner }),
    blocks: idsOf(record["blocks"]),
    blockedBy: idsOf(record["blockedBy"]),
    ...(metadata === undefined ? {} : { metadata }),
  });
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/**
 * The list in a snapshot: records in order, each id once, edges mutual, the mark at least the highest id in sight (those
 * of unreadable records count too). A missing revision is 0.
 *
 * @returns nothing when the value is not a snapshot at all
 */
export function parseSnapshot(value: unknown): ParsedSnapshot | undefined {
  if (!isObject(value) || !Array.isArray(value["tasks"])) return undefined;
  const byId = new Map<string, Task>();
  let badRecords = 0;
  let highWaterMark = count(value["highWaterMark"]);
  for (const record of value["tasks"] as unknown[]) {
    const id = isObject(record) ? idOf(record["id"]) : undefined;
    if (id !== undefined) highWaterMark = Math.max(highWaterMark, Number(id));
    const task = parseTask(record);
    if (task === undefined) badRecords += 1;
    else byId.set(task.id, task);
  }
  const tasks = repairEdges([...byId.values()].sort((a, b) => compareIds(a.id, b.id)));
  const list = { tasks: Object.freeze(tasks), highWaterMark, revision: count(value["revision"]) };
  return { list: Object.freeze(list), badRecords };
}
