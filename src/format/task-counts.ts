// How far the list is, in a few words.

export interface TaskCountsView {
  pending: number;
  inProgress: number;
  completed: number;
  total: number;
}

/** Head line of the widget. */
export function formatTaskHead({ pending, inProgress, completed }: TaskCountsView): string {
  return `Tasks  ${pending} pending · ${inProgress} in progress · ${completed} done`;
}

/** Footer pill. */
export function formatTaskPill({ inProgress, completed, total }: TaskCountsView): string {
  const done = `${completed}/${total} tasks`;
  return inProgress > 0 ? `${inProgress} active / ${done}` : done;
}
