import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { repairArguments } from "../../schema/argument-repair.ts";
import { taskUpdateSchema, taskUpdateShape, type TaskUpdateArguments } from "../../schema/task-update.ts";
import { taskResultRows } from "../../ui/task-tool-rows.ts";
import type { TaskToolOptions } from "../task-tool-options.ts";
import { executeTaskUpdate, type TaskUpdateDetails } from "./execute.ts";
import { renderTaskUpdateCall } from "./render.ts";
import { taskUpdateText } from "./text.ts";

/** The tool as pi registers it. */
export function createTaskUpdateTool(
  options: TaskToolOptions,
): ToolDefinition<typeof taskUpdateSchema, TaskUpdateDetails> {
  return {
    name: "TaskUpdate",
    label: "TaskUpdate",
    ...taskUpdateText,
    parameters: taskUpdateSchema,

    prepareArguments: (raw) => repairArguments(taskUpdateShape, raw) as TaskUpdateArguments,
    async execute(_id, params, signal) {
      const { text, details } = await executeTaskUpdate(options.store(), params, {
        verificationNudge: options.verificationNudge,
        signal,
      });
      return { content: [{ type: "text", text }], details };
    },
    renderCall: (args, theme) => renderTaskUpdateCall(args, theme),
    renderResult: (result, { expanded }, theme, { isError }) => taskResultRows(result, expanded, isError, theme),
  };
}
