export const TASK_STOP_DESCRIPTION =
  "Stops a background task by its ID: the command and everything it started, first politely, then by force. " +
  "Success is reported only after all of it has ended. A second call for the same task skips the polite part.";

export const TASK_STOP_SNIPPET = "Stop a background task";
