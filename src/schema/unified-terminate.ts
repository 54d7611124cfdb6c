import { Array as ArrayOf, Object, String, type TSchema } from "typebox";
import { dropNulls, isObject } from "./unified-task.ts";

export interface TerminateArguments {
  task_ids: string[];
}

/** Parameters of task_terminate; unknown ones are refused. */
export const terminateSchema: TSchema = Object(
  { task_ids: ArrayOf(String(), { description: "IDs of the tasks to end", minItems: 1 }) },
  { additionalProperties: false },
);

/** A single ID is taken for a list of one. */
export function repairTerminateArguments(raw: unknown): TerminateArguments {
  if (typeof raw === "string") return { task_ids: [raw] };
  const args: unknown = dropNulls(raw);
  if (!isObject(args)) return args as TerminateArguments;
  const ids = args["task_ids"] ?? args["task_id"];
  if (typeof args["task_id"] === "string" || typeof ids === "string") {
    const others = globalThis.Object.entries(args).filter(([name]) => name !== "task_id");
    return {
      ...globalThis.Object.fromEntries(others),
      task_ids: typeof ids === "string" ? [ids] : ids,
    } as TerminateArguments;
  }
  return args as unknown as TerminateArguments;
}
