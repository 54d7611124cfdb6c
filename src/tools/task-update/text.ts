/** What the model is told about TaskUpdate. */
export const taskUpdateText = {
  description:
    "Changes a task: its status (pending, in_progress, completed; deleted removes it), its texts, its owner, its metadata, or which tasks it blocks or waits for. Only the fields given are changed. Set completed only when the work is fully done; if something is left or failed, keep in_progress or add a task for it.",
  promptSnippet: "Change a task's status, texts, owner or dependencies",
};
