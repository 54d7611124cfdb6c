import { Array as ArrayOf, Enum, Object, Optional, type TSchema } from "typebox";
import { dropNulls, isObject } from "./unified-task.ts";

export const LIST_STATUSES = ["queued", "running", "reported", "exited", "killed", "failed", "timed_out"] as const;
export type ListStatus = (typeof LIST_STATUSES)[number];

export interface ListArguments {
  statuses?: ListStatus[];
}

/** Parameters of task_list; unknown ones are refused. */
export const unifiedListSchema: TSchema = Object(
  {
    statuses: Optional(
      ArrayOf(Enum([...LIST_STATUSES]), { description: "Which tasks. Default: queued and running ones" }),
    ),
  },
  { additionalProperties: false },
);

/** A single status is taken for a list of one. */
export function repairListArguments(raw: unknown): ListArguments {
  const args: Record<string, unknown> = dropNulls(raw);
  if (isObject(args) && typeof args["statuses"] === "string") args["statuses"] = [args["statuses"]];
  return args;
}
