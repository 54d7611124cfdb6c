// The quiet word to a model that has not touched its task list for a while.

/** Sent with one request, never stored. */
export const TASK_REMINDER =
  "<system-reminder>\nThe task list has not been updated for a while. If it helps with the present work, add tasks with TaskCreate and set their status with TaskUpdate; TaskList shows what is there. If it does not help, ignore this. It need not be mentioned to the user.\n</system-reminder>";
