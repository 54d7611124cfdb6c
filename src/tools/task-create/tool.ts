import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { repairArguments } from "../../schema/argument-repair.ts";
import { taskCreateSchema, taskCreateShape, type TaskCreateArguments } from "../../schema/task-create.ts";
import { taskResultRows } from "../../ui/task-tool-rows.ts";
import type { TaskToolOptions } from "../task-tool-options.ts";
import { executeTaskCreate, type TaskCreateDetails } from "./execute.ts";
import { renderTaskCreateCall } from "./render.ts";
import { taskCreateText } from "./text.ts";

/** The tool as pi registers it. */
export function createTaskCreateTool(
  options: TaskToolOptions,
): ToolDefinition<typeof taskCreateSchema, TaskCreateDetails> {
  return {
    name: "TaskCreate",
    label: "TaskCreate",
    ...taskCreateText,
    parameters: taskCreateSchema,

    prepareArguments: (raw) => repairArguments(taskCreateShape, raw) as TaskCreateArguments,
    async execute(_id, params, signal) {
      const { text, details } = await executeTaskCreate(options.store(), params, signal);
      return { content: [{ type: "text", text }], details };
    },
    renderCall: (args, theme) => renderTaskCreateCall(args, theme),
    renderResult: (result, { expanded }, theme, { isError }) => taskResultRows(result, expanded, isError, theme),
  };
}
