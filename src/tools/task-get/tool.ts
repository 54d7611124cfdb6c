import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { repairArguments } from "../../schema/argument-repair.ts";
import { taskGetSchema, taskGetShape, type TaskGetArguments } from "../../schema/task-get.ts";
import { taskResultRows } from "../../ui/task-tool-rows.ts";
import type { TaskToolOptions } from "../task-tool-options.ts";
import { executeTaskGet, type TaskGetDetails } from "./execute.ts";
import { renderTaskGetCall } from "./render.ts";
import { taskGetText } from "./text.ts";

/** The tool as pi registers it. */
export function createTaskGetTool(options: TaskToolOptions): ToolDefinition<typeof taskGetSchema, TaskGetDetails> {
  return {
    name: "TaskGet",
    label: "TaskGet",
    ...taskGetText,
    parameters: taskGetSchema,
    annotations: { readOnlyHint: true },
    prepareArguments: (raw) => repairArguments(taskGetShape, raw) as TaskGetArguments,
    async execute(_id, params) {
      const { text, details } = await executeTaskGet(options.store(), params);
      return { content: [{ type: "text", text }], details };
    },
    renderCall: (args, theme) => renderTaskGetCall(args, theme),
    renderResult: (result, { expanded }, theme, { isError }) => taskResultRows(result, expanded, isError, theme),
  };
}
