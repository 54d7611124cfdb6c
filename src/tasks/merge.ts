// Which of several copies of a list counts. docs/design/task-list.md gives the reasons.
import { EMPTY_LIST, type TaskList } from "./task.ts";

/** How far a copy has come; of several copies the maximum: the next mutation and the next id must be above it. */
export interface Ceiling {
  readonly revision: number;
  readonly highWaterMark: number;
}

/** Order of two copies of one list: more mutations first, then the higher mark (copies that never had a revision). */
export function isNewer(candidate: Ceiling, other: Ceiling): boolean {
  if (candidate.revision !== other.revision) return candidate.revision > other.revision;
  return candidate.highWaterMark > other.highWaterMark;
}

/** The maximum of both counters over all copies. */
export function ceilingOf(copies: Iterable<Ceiling>): Ceiling {
  const ceiling = { revision: 0, highWaterMark: 0 };
  for (const copy of copies) {
    ceiling.revision = Math.max(ceiling.revision, copy.revision);
    ceiling.highWaterMark = Math.max(ceiling.highWaterMark, copy.highWaterMark);
  }
  return ceiling;
}

/** The list with a mark that is at least the ceiling's. */
export function raiseMark(list: TaskList, ceiling: Ceiling): TaskList {
  if (list.highWaterMark >= ceiling.highWaterMark) return list;
  return Object.freeze({ ...list, highWaterMark: ceiling.highWaterMark });
}

export interface SessionCopies {
  /** The last snapshot on the branch from the root to the leaf. */
  branch: TaskList | undefined;
  /** The counters of every snapshot in the session file, abandoned branches included. */
  all: readonly Ceiling[];
  disk: TaskList | undefined;
}

export interface Start {
  list: TaskList;
  /** How far the counters have ever been. */
  ceiling: Ceiling;
  /** The list is on disk only: its entry could not be appended. */
  unappended: boolean;
}

/** The list of a session at its start. */
export function mergeAtStart({ branch, all, disk }: SessionCopies): Start {
  const ceiling = ceilingOf(disk === undefined ? all : [...all, disk]);
  // Newer than everything that was ever appended, not only than the branch: the copy of an abandoned branch is on disk
  // too, and has the higher revision.
  const unappended = disk !== undefined && all.every((copy) => isNewer(disk, copy));
  return { list: raiseMark((unappended ? disk : branch) ?? EMPTY_LIST, ceiling), ceiling, unappended };
}

/** The list after going to another place in the tree: what the branch says, under the same ceiling. */
export function mergeAtBranch(branch: TaskList | undefined, ceiling: Ceiling): TaskList {
  return raiseMark(branch ?? EMPTY_LIST, ceiling);
}

/** The list with the counters moved on after a mutation. */
export function countMutation(list: TaskList, ceiling: Ceiling): TaskList {
  return Object.freeze({ ...list, revision: Math.max(list.revision, ceiling.revision) + 1 });
}
