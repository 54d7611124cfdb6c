import { formatUpdated, TASK_NOT_FOUND, VERIFICATION_NUDGE } from "../../format/task-results.ts";
import type { TaskUpdateArguments } from "../../schema/task-update.ts";
import type { TaskStore } from "../../tasks/store.ts";
import type { TaskStatus } from "../../tasks/task.ts";
import { updateTask, type UpdatedField } from "../../tasks/update-task.ts";
import { needsVerification } from "../../tasks/verification.ts";
import { toolFailure } from "../tool-failure.ts";

export interface TaskUpdateDetails {
  success: boolean;
  taskId: string;
  updatedFields: UpdatedField[];
  statusChange?: { from: TaskStatus; to: TaskStatus | "deleted" };
  verificationNudgeNeeded?: boolean;
}

export interface TaskUpdateOptions {
  verificationNudge: boolean;
  signal?: AbortSignal | undefined;
}

/** Changes or deletes a task. An unknown id is an answer, not an error. */
export async function executeTaskUpdate(
  store: TaskStore,
  { taskId, ...change }: TaskUpdateArguments,
  { verificationNudge, signal }: TaskUpdateOptions,
): Promise<{ text: string; details: TaskUpdateDetails }> {
  try {
    const { result, list, note } = await store.mutate((before) => {
      const outcome = updateTask(before, taskId, change);
      return { list: outcome?.list ?? before, result: outcome };
    }, signal);
    if (result === undefined) {
      return { text: TASK_NOT_FOUND, details: { success: false, taskId, updatedFields: [] } };
    }
    const { updatedFields, statusChange } = result;
    const nudge = verificationNudge && statusChange?.to === "completed" && needsVerification(list);
    return {
      text: formatUpdated(taskId, updatedFields) + (nudge ? VERIFICATION_NUDGE : "") + note,
      details: {
        success: true,
        taskId,
        updatedFields,
        ...(statusChange === undefined ? {} : { statusChange }),
        ...(nudge ? { verificationNudgeNeeded: true } : {}),
      },
    };
  } catch (error) {
    throw toolFailure("TaskUpdate", error);
  }
}
