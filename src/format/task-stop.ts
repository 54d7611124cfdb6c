// The answers of TaskStop: the text for the model is the payload as JSON, the details are the same object.

export interface RunningTask {
  task_id: string;
  command: string;
}

export interface SurvivingProcess {
  pid: number;
  command: string;
  why: string;
}

export interface TaskStopPayload {
  message: string;
  task_id: string;
  task_type?: "local_bash";
  command?: string;
  alreadyExited?: true;
}

export interface TaskStopDetails extends TaskStopPayload {
  running?: RunningTask[];
  survivors?: SurvivingProcess[];
}

export interface TaskStopAnswer {
  text: string;
  details: TaskStopDetails;
  isError: boolean;
}

/** How a request to stop came out. */
export type TaskStopOutcome =
  | { kind: "stopped"; id: string; command: string }
  | { kind: "no-id" }
  | { kind: "unknown"; id: string; running: RunningTask[] }
  | { kind: "not-running"; id: string; command: string; status: string }
  | { kind: "still-running"; id: string; command: string; count: number; survivors: SurvivingProcess[] };

/** Text, details and error flag of one outcome; each text is what users of picc-bash know. */
export function formatTaskStop(outcome: TaskStopOutcome): TaskStopAnswer {
  switch (outcome.kind) {
    case "stopped":
      return answer(
        {
          message: `Successfully stopped task: ${outcome.id} (${outcome.command})`,
          task_id: outcome.id,
          task_type: "local_bash",
          command: outcome.command,
        },
        false,
      );
    case "no-id":
      return answer({ message: "Missing required parameter: task_id", task_id: "" }, true);
    case "unknown":
      return answer({ message: `No task found with ID: ${outcome.id}`, task_id: outcome.id }, true, {
        running: outcome.running,
      });
    case "not-running":
      return answer(
        {
          message: `Task ${outcome.id} is not running (status: ${outcome.status})`,
          task_id: outcome.id,
          command: outcome.command,
          alreadyExited: true,
        },
        true,
      );
    case "still-running":
      return answer(
        {
          message: `Could not stop task: ${outcome.id} (${outcome.command}): ${outcome.count} processes are still running`,
          task_id: outcome.id,
          command: outcome.command,
        },
        true,
        { survivors: outcome.survivors },
      );
  }
}

function answer(payload: TaskStopPayload, isError: boolean, extra: Partial<TaskStopDetails> = {}): TaskStopAnswer {
  return { text: JSON.stringify(payload), details: { ...payload, ...extra }, isError };
}
