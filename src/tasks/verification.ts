// Whether finished work asks for a check.
import { isVisible, type TaskList } from "./task.ts";

/** Fewer tasks than this are too small a job to ask for a check. */
const MIN_TASKS_FOR_NUDGE = 3;

/** All visible tasks are completed, there are enough of them, and none was about verifying. */
export function needsVerification(list: TaskList): boolean {
  const visible = list.tasks.filter(isVisible);
  return (
    visible.length >= MIN_TASKS_FOR_NUDGE &&
    visible.every((task) => task.status === "completed" && !/verif/i.test(task.subject))
  );
}
