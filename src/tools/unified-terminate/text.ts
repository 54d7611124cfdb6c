export const TERMINATE_DESCRIPTION =
  "Ends tasks and everything they started; an agent's own tasks are ended first. A row says terminated only after nothing of the task is left.";

export const TERMINATE_SNIPPET = "End running commands and agents";
