import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { repairArguments } from "../../schema/argument-repair.ts";
import { taskListSchema, taskListShape } from "../../schema/task-list.ts";
import { taskResultRows } from "../../ui/task-tool-rows.ts";
import type { TaskToolOptions } from "../task-tool-options.ts";
import { executeTaskList, type TaskListDetails } from "./execute.ts";
import { renderTaskListCall } from "./render.ts";
import { taskListText } from "./text.ts";

/** The tool as pi registers it. */
export function createTaskListTool(options: TaskToolOptions): ToolDefinition<typeof taskListSchema, TaskListDetails> {
  return {
    name: "TaskList",
    label: "TaskList",
    ...taskListText,
    parameters: taskListSchema,
    annotations: { readOnlyHint: true },
    prepareArguments: (raw) => repairArguments(taskListShape, raw),
    async execute() {
      const { text, details } = await executeTaskList(options.store());
      return { content: [{ type: "text", text }], details };
    },
    renderCall: (_args, theme) => renderTaskListCall(theme),
    renderResult: (result, { expanded }, theme, { isError }) => taskResultRows(result, expanded, isError, theme),
  };
}
