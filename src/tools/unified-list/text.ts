export const LIST_DESCRIPTION =
  "Lists the commands and agents that you and your agents have started and that are queued or running; with statuses, ended ones as well. For the list of work to do, use TaskList.";

export const LIST_SNIPPET = "List running commands and agents";
