// The environment variables of the task list, read once.

export interface TaskSettings {
  /** The four tools are not registered. `PI_TASKS_DISABLE` */
  disabled: boolean;
  /** A list that several sessions share. `PI_TASK_LIST_ID`, then `CLAUDE_CODE_TASK_LIST_ID` */
  listId: string | undefined;
  /** Off only when said so. `PI_TASKS_REMINDER` */
  reminder: boolean;
  /** On only when said so. `PI_TASKS_VERIFICATION_NUDGE` */
  verificationNudge: boolean;
}

const YES = new Set(["1", "true", "yes", "on"]);
const NO = new Set(["0", "false", "no", "off"]);

function word(value: string | undefined): string {
  return value?.trim().toLowerCase() ?? "";
}

/** Settings from an environment. Empty variables count as absent. */
export function readTaskSettings(env: Readonly<Record<string, string | undefined>>): TaskSettings {
  const listId = [env["PI_TASK_LIST_ID"], env["CLAUDE_CODE_TASK_LIST_ID"]].map((id) => id?.trim()).find(Boolean);
  return {
    disabled: YES.has(word(env["PI_TASKS_DISABLE"])),
    listId,
    reminder: !NO.has(word(env["PI_TASKS_REMINDER"])),
    verificationNudge: YES.has(word(env["PI_TASKS_VERIFICATION_NUDGE"])),
  };
}
