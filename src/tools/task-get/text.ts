/** What the model is told about TaskGet. */
export const taskGetText = {
  description: "Shows one task: subject, status, description, and the tasks it blocks or is blocked by.",
  promptSnippet: "Show one task with its description and dependencies",
};
