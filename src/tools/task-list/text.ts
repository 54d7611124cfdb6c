/** What the model is told about TaskList. */
export const taskListText = {
  description:
    "Lists all tasks, one line each: id, status, subject, owner, and the unfinished tasks it is blocked by. TaskGet shows the description.",
  promptSnippet: "List all tasks with their status",
};
