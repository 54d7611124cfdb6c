import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { AgentDefinition } from "../../agents/definition.ts";
import type { TaskAnswer } from "../../format/task-answer.ts";
import { awaitSchema, repairAwaitArguments, type AwaitArguments } from "../../schema/unified-await.ts";
import { repairListArguments, unifiedListSchema, type ListArguments } from "../../schema/unified-list.ts";
import { dropNulls, taskSchema } from "../../schema/unified-task.ts";
import { repairTerminateArguments, terminateSchema, type TerminateArguments } from "../../schema/unified-terminate.ts";
import type { BashRowState } from "../../tools/bash/render.ts";
import { executeAwait, type AwaitPayload } from "../../tools/unified-await/execute.ts";
import { renderAwaitCall, renderAwaitResult } from "../../tools/unified-await/render.ts";
import { AWAIT_DESCRIPTION, AWAIT_SNIPPET } from "../../tools/unified-await/text.ts";
import { executeList, type ListPayload } from "../../tools/unified-list/execute.ts";
import { renderListCall, renderListResult } from "../../tools/unified-list/render.ts";
import { LIST_DESCRIPTION, LIST_SNIPPET } from "../../tools/unified-list/text.ts";
import { executeTask } from "../../tools/unified-task/execute.ts";
import { renderTaskCall, renderTaskResult, type TaskArguments } from "../../tools/unified-task/render.ts";
import type { TaskTool } from "../../tools/unified-task/task-tool.ts";
import { TASK_GUIDELINES, TASK_SNIPPET, taskDescription } from "../../tools/unified-task/text.ts";
import { executeTerminate, type TerminatePayload } from "../../tools/unified-terminate/execute.ts";
import { renderTerminateCall, renderTerminateResult } from "../../tools/unified-terminate/render.ts";
import { TERMINATE_DESCRIPTION, TERMINATE_SNIPPET } from "../../tools/unified-terminate/text.ts";

/** `task` as pi takes it; its text names the kinds of agents there are. */
export function taskDefinition(
  tool: TaskTool,
  definitions: readonly AgentDefinition[],
  depth: number,
): ToolDefinition<ReturnType<typeof taskSchema>, TaskAnswer, BashRowState> {
  return {
    name: "task",
    label: "task",
    description: taskDescription({ config: tool.config, definitions, depth }),
    promptSnippet: TASK_SNIPPET,
    promptGuidelines: TASK_GUIDELINES,
    parameters: taskSchema(definitions.map(({ name }) => name)),
    prepareArguments: (raw) => dropNulls(raw),
    execute: (toolCallId, args, signal, onUpdate, ctx) =>
      executeTask(tool, toolCallId, args as Record<string, unknown>, signal, onUpdate, ctx),
    renderCall: (args, theme, context) => renderTaskCall(args as TaskArguments, theme, context),
    renderResult: (result, options, theme, context) => renderTaskResult(result, options, theme, context),
  };
}

export function awaitDefinition(tool: TaskTool): ToolDefinition<typeof awaitSchema, AwaitPayload> {
  return {
    name: "task_await",
    label: "task_await",
    description: AWAIT_DESCRIPTION,
    promptSnippet: AWAIT_SNIPPET,
    parameters: awaitSchema,
    annotations: { readOnlyHint: true },
    prepareArguments: repairAwaitArguments,
    execute: (_id, args, signal, _onUpdate, ctx) => executeAwait(tool, args as AwaitArguments, signal, ctx),
    renderCall: (args, theme, context) => renderAwaitCall(args as AwaitArguments, theme, context),
    renderResult: (result, { expanded }, theme, context) => renderAwaitResult(result, expanded, theme, context),
  };
}

export function listDefinition(tool: TaskTool): ToolDefinition<typeof unifiedListSchema, ListPayload> {
  return {
    name: "task_list",
    label: "task_list",
    description: LIST_DESCRIPTION,
    promptSnippet: LIST_SNIPPET,
    parameters: unifiedListSchema,
    annotations: { readOnlyHint: true },
    prepareArguments: repairListArguments,
    execute: (_id, args) => executeList(tool, args as ListArguments),
    renderCall: (args, theme, context) => renderListCall(args as ListArguments, theme, context),
    renderResult: (result, { expanded }, theme, context) => renderListResult(result, expanded, theme, context),
  };
}

export function terminateDefinition(tool: TaskTool): ToolDefinition<typeof terminateSchema, TerminatePayload> {
  return {
    name: "task_terminate",
    label: "task_terminate",
    description: TERMINATE_DESCRIPTION,
    promptSnippet: TERMINATE_SNIPPET,
    parameters: terminateSchema,
    prepareArguments: repairTerminateArguments,
    execute: (_id, args, signal) => executeTerminate(tool, args as TerminateArguments, signal),
    renderCall: (args, theme, context) => renderTerminateCall(args as TerminateArguments, theme, context),
    renderResult: (result, { expanded }, theme, context) => renderTerminateResult(result, expanded, theme, context),
  };
}
