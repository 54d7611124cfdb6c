import { Object, Optional, String, type TSchema } from "typebox";

export interface TaskStopArguments {
  task_id?: string;
  /** Deprecated alias. */
  shell_id?: string;
}

/** Parameters of TaskStop; unknown ones are refused. */
export const taskStopSchema: TSchema = Object(
  {
    task_id: Optional(String({ description: "ID of the background task to stop" })),
    shell_id: Optional(String({ description: "Deprecated: use task_id" })),
  },
  { additionalProperties: false },
);

const SLIPS = ["taskId", "id", "shellId", "bash_id"] as const;

/** Repairs common slips before validation: another name for the id, an empty one beside it, or a bare string. */
export function repairTaskStopArguments(raw: unknown): TaskStopArguments {
  if (typeof raw === "string") return { task_id: raw };
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return raw as TaskStopArguments;
  const repaired: Record<string, unknown> = { ...raw };
  const isBlank = typeof repaired["task_id"] === "string" && repaired["task_id"].trim() === "";
  if (isBlank && Reflect.ownKeys(repaired).length > 1) delete repaired["task_id"];
  for (const slip of SLIPS) {
    if (slip in repaired && repaired["task_id"] === undefined) {
      repaired["task_id"] = repaired[slip];
      // The name is refused by the schema, so it cannot stay.
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete
      delete repaired[slip];
    }
  }
  return repaired;
}
