import { Array as ArrayOf, Boolean, Number, Object, Optional, String, type TSchema } from "typebox";
import { dropNulls, isObject } from "./unified-task.ts";

export const DEFAULT_AWAIT_SECS = 600;

export interface AwaitArguments {
  task_ids?: string[];
  filter?: string;
  filter_exclude?: boolean;
  timeout_secs?: number;
  min_completed?: number;
}

/** Parameters of task_await; unknown ones are refused. */
export const awaitSchema: TSchema = Object(
  {
    task_ids: Optional(ArrayOf(String(), { description: "IDs of tasks. Default: all that are queued or running" })),
    filter: Optional(
      String({ description: "bash: regular expression; only lines of new output that match are returned" }),
    ),
    filter_exclude: Optional(
      Boolean({ description: "With filter: return the lines that do not match, and wait on while all new ones match" }),
    ),
    timeout_secs: Optional(
      Number({ description: `Longest wait in seconds. Default ${DEFAULT_AWAIT_SECS}; 0 looks once`, minimum: 0 }),
    ),
    min_completed: Optional(
      Number({
        description:
          "Return when so many of the tasks are completed. Default: when each has new output or is completed",
        minimum: 1,
      }),
    ),
  },
  { additionalProperties: false },
);

/** Repairs common slips before validation: null for "not given", one ID instead of a list, the pattern in the wrong field. */
export function repairAwaitArguments(raw: unknown): AwaitArguments {
  const args: unknown = dropNulls(raw);
  if (!isObject(args)) return args as AwaitArguments;
  const repaired = { ...args };
  if (typeof repaired["task_ids"] === "string") repaired["task_ids"] = [repaired["task_ids"]];
  const exclude = repaired["filter_exclude"];
  if (typeof exclude === "string" && !/^(?:true|false)$/i.test(exclude) && repaired["filter"] === undefined) {
    repaired["filter"] = exclude;
    repaired["filter_exclude"] = true;
  }
  return repaired;
}

/** One line for each argument that the schema cannot judge. */
export function checkAwait(args: AwaitArguments): string[] {
  const { timeout_secs: timeoutSecs, min_completed: minCompleted } = args;
  return [
    ...(args.filter_exclude === true && args.filter === undefined
      ? ["filter_exclude: needs filter, the pattern of the lines to drop"]
      : []),
    ...(timeoutSecs !== undefined && !(timeoutSecs >= 0)
      ? ["timeout_secs: expected a number of seconds, 0 or more"]
      : []),
    ...(minCompleted !== undefined && !(globalThis.Number.isInteger(minCompleted) && minCompleted >= 1)
      ? ["min_completed: expected a whole number, 1 or more"]
      : []),
  ];
}
