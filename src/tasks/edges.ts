// Who waits for whom. Every edge is stored on both of its tasks. Nothing here, nor anywhere else, follows an edge
// further than one step: cycles are accepted and cannot loop anything.
import { compareIds, indexOfTask, type Task } from "./task.ts";

export type EdgeSide = "blocks" | "blockedBy";

const OTHER_SIDE: Record<EdgeSide, EdgeSide> = { blocks: "blockedBy", blockedBy: "blocks" };

/** The ids, in numeric order and once each. */
export function edgeList(ids: Iterable<string>): readonly string[] {
  return Object.freeze([...new Set(ids)].sort(compareIds));
}

function withEdges(task: Task, side: EdgeSide, ids: Iterable<string>): Task {
  return Object.freeze({ ...task, [side]: edgeList(ids) });
}

/**
 * Adds edges from one task to others, and their mirror images. Unknown ids, the task itself and edges that are there
 * already are skipped.
 *
 * @param tasks a copy of the list that this function may write to
 * @returns whether anything changed
 */
export function addEdges(tasks: Task[], id: string, side: EdgeSide, otherIds: readonly string[]): boolean {
  const index = indexOfTask(tasks, id);
  const task = tasks[index];
  if (task === undefined) return false;
  const known = new Set(task[side]);
  const fresh: string[] = [];
  for (const otherId of otherIds) {
    const otherIndex = indexOfTask(tasks, otherId);
    const other = tasks[otherIndex];
    if (other === undefined || other.id === task.id || known.has(other.id)) continue;
    known.add(other.id);
    fresh.push(other.id);
    const back = OTHER_SIDE[side];
    tasks[otherIndex] = withEdges(other, back, [...other[back], task.id]);
  }
  if (fresh.length === 0) return false;
  tasks[index] = withEdges(task, side, known);
  return true;
}

/** The tasks without any edge to this id. Tasks that had none are the same objects. */
export function withoutEdgesTo(tasks: readonly Task[], id: string): Task[] {
  return tasks.map((task) => {
    let cleaned = task;
    for (const side of ["blocks", "blockedBy"] as const) {
      if (task[side].includes(id)) {
        cleaned = withEdges(
          cleaned,
          side,
          task[side].filter((other) => other !== id),
        );
      }
    }
    return cleaned;
  });
}

/**
 * Tasks whose edges are all known, mutual and not to themselves. An edge that only one side knew is given to the other:
 * somebody said it, and losing a dependency is worse than keeping one.
 */
export function repairEdges(tasks: readonly Task[]): Task[] {
  const blocks = new Map(tasks.map((task) => [task.id, new Set<string>()]));
  const blockedBy = new Map(tasks.map((task) => [task.id, new Set<string>()]));
  const join = (blocker: string, waiter: string): void => {
    if (blocker === waiter || !blocks.has(blocker) || !blocks.has(waiter)) return;
    blocks.get(blocker)?.add(waiter);
    blockedBy.get(waiter)?.add(blocker);
  };
  for (const task of tasks) {
    for (const waiter of task.blocks) join(task.id, waiter);
    for (const blocker of task.blockedBy) join(blocker, task.id);
  }
  return tasks.map((task) => {
    const repaired = { blocks: edgeList(blocks.get(task.id) ?? []), blockedBy: edgeList(blockedBy.get(task.id) ?? []) };
    const same = repaired.blocks.join() === task.blocks.join() && repaired.blockedBy.join() === task.blockedBy.join();
    return same ? task : Object.freeze({ ...task, ...repaired });
  });
}
