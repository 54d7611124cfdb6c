import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { Config } from "../../config.ts";
import { bashOutputSchema, bashSchema, repairBashArguments, type BashArguments } from "../../schema/bash.ts";
import { repairTaskStopArguments, taskStopSchema, type TaskStopArguments } from "../../schema/task-stop.ts";
import type { BashDetails } from "../../tools/bash/details.ts";
import { executeBash, type BashTool } from "../../tools/bash/execute.ts";
import { renderBashCall, renderBashResult, type BashRowState } from "../../tools/bash/render.ts";
import { bashDescription, bashGuidelines, bashSnippet, type BashTextFacts } from "../../tools/bash/text.ts";
import { executeTaskStop, type TaskStopTool } from "../../tools/task-stop/execute.ts";
import { renderTaskStopCall, renderTaskStopResult } from "../../tools/task-stop/render.ts";
import { TASK_STOP_DESCRIPTION, TASK_STOP_SNIPPET } from "../../tools/task-stop/text.ts";
import type { TaskStopDetails } from "../../format/task-stop.ts";

export { findClashes } from "../../tools/name-clashes.ts";

export const TASK_STOP_NAME = "TaskStop";

/** The bash tool as pi takes it; only its text depends on the session. */
export function bashDefinition(
  tool: BashTool,
  session: Omit<BashTextFacts, "config">,
): ToolDefinition<ReturnType<typeof bashSchema>, BashDetails, BashRowState> {
  const { config } = tool;
  const facts = { config, ...session };
  return {
    name: config.toolName,
    label: config.toolName,
    description: bashDescription(facts),
    promptSnippet: bashSnippet(facts),
    promptGuidelines: bashGuidelines(facts),
    parameters: bashSchema(config),
    outputSchema: bashOutputSchema,
    // The tool `task` still reaches it, and with it every hook that decides about commands.
    ...(config.surface === "unified" && { exposure: "codemode" as const }),
    // pi's own bash asks for the same.
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    prepareArguments: (args) => repairBashArguments(args, config.backgroundEnabled),
    execute: (toolCallId, args, signal, onUpdate, ctx) =>
      executeBash(tool, toolCallId, args as BashArguments, signal, onUpdate, ctx),
    renderCall: (args, theme, context) => renderBashCall(args as BashArguments, theme, context, config),
    renderResult: (result, options, theme, context) => renderBashResult(result, options, theme, context),
  };
}

export function taskStopDefinition(
  tool: TaskStopTool & { config: Pick<Config, "surface"> },
): ToolDefinition<typeof taskStopSchema, TaskStopDetails> {
  return {
    name: TASK_STOP_NAME,
    label: TASK_STOP_NAME,
    ...(tool.config.surface === "unified" && { exposure: "hidden" as const }),
    description: TASK_STOP_DESCRIPTION,
    promptSnippet: TASK_STOP_SNIPPET,
    parameters: taskStopSchema,
    prepareArguments: repairTaskStopArguments,
    execute: (toolCallId, args, signal) => executeTaskStop(tool, toolCallId, args as TaskStopArguments, signal),
    renderCall: (args, theme, context) => renderTaskStopCall(args as TaskStopArguments, theme, context),
    renderResult: (result, _options, theme, context) => renderTaskStopResult(result, theme, context),
  };
}
