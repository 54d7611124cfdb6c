/** What the model is told about TaskCreate. */
export const taskCreateText = {
  description:
    "Adds a task to the task list of this session. Worth it for work of three or more steps, or when the user gives several things to do; not for a single simple step. New tasks are pending; their ids are 1, 2, … and are never used again.",
  promptSnippet: "Add a task to the task list",
  promptGuidelines: [
    "For work of three or more steps, keep a task list: TaskCreate for each step, TaskUpdate to in_progress when a step is started and to completed as soon as it is really done",
  ],
};
