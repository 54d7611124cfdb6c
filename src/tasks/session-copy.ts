// Snapshots among the entries of a pi session.
import type { Ceiling } from "./merge.ts";
import { parseSnapshot, type ParsedSnapshot } from "./snapshot.ts";
import type { TaskList } from "./task.ts";

/** Custom entry type; the name is part of the format, other readers look for it. */
export const STATE_ENTRY_TYPE = "picc-tasks-state";

/** As much of a session entry as is looked at. */
export interface SessionEntryView {
  type: string;
  customType?: string;
  data?: unknown;
}

/** What an entry holds: a snapshot, and for a shared list whose. */
export type StateEntry = TaskList & { readonly listId?: string };

function stateOf(entry: SessionEntryView): Record<string, unknown> | undefined {
  if (entry.type !== "custom" || entry.customType !== STATE_ENTRY_TYPE) return undefined;
  return typeof entry.data === "object" && entry.data !== null ? (entry.data as Record<string, unknown>) : undefined;
}

/**
 * The last readable snapshot of a list on a branch.
 *
 * @param listId of a shared list; nothing for the session's own
 */
export function lastSnapshot(
  branch: readonly SessionEntryView[],
  listId: string | undefined,
): ParsedSnapshot | undefined {
  for (let index = branch.length - 1; index >= 0; index -= 1) {
    const entry = branch[index];
    const state = entry && stateOf(entry);
    if (state?.["listId"] !== listId || state === undefined) continue;
    const parsed = parseSnapshot(state);
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

/** The counters of all snapshots of a list, without reading the tasks of those that have counters. */
export function snapshotCounters(entries: readonly SessionEntryView[], listId: string | undefined): Ceiling[] {
  return entries.flatMap((entry) => {
    const state = stateOf(entry);
    if (state === undefined || state["listId"] !== listId) return [];
    const { revision, highWaterMark } = state;
    if (typeof revision === "number" && typeof highWaterMark === "number") return [{ revision, highWaterMark }];
    return parseSnapshot(state)?.list ?? [];
  });
}

/** The data of a new entry. */
export function stateEntry(list: TaskList, listId: string | undefined): StateEntry {
  const { tasks, highWaterMark, revision } = list;
  return Object.freeze({ tasks, highWaterMark, revision, ...(listId === undefined ? {} : { listId }) });
}
