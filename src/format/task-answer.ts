/** What the tool `task` answers. */
export type TaskAnswer =
  | { status: "queued"; taskId: string; title: string; note: string }
  | {
      status: "running";
      taskId: string;
      title: string;
      note: string;
      /** Of a command that was waited for until it was moved to the background. */
      output?: string;
      outputPath?: string;
    }
  | {
      status: "completed";
      taskId?: string;
      title: string;
      reportMarkdown: string;
      /** Of bash, as all that follow. */
      exitCode?: number;
      signal?: number;
      timedOut?: true;
      note?: string;
      truncated?: { reason: string; totalLines: number };
      outputPath?: string;
    };

/** How the model gets the result of something that runs on. */
export function waitNote(taskId: string): string {
  return `task_await with ${taskId} waits for it and gives its result; task_terminate ends it.`;
}

/** Why a task goes on without its caller. */
export function movedNote(cause: "message" | "interrupt" | "person" | "timeout", taskId: string): string {
  const reason = {
    message: "The user has sent a message, so it was moved to the background.",
    interrupt: "The call was interrupted, so it was moved to the background.",
    person: "The user moved it to the background.",
    timeout: "Its time is up, and it was moved to the background.",
  }[cause];
  return `${reason} It is still running. ${waitNote(taskId)}`;
}
