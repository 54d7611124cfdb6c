import type { AgentToolResult } from "@earendil-works/pi-coding-agent";
import type { TerminateArguments } from "../../schema/unified-terminate.ts";
import { terminateTasks, type TerminateRow } from "../../unified/terminate.ts";
import { jsonResult } from "../json-result.ts";
import type { UnifiedTool } from "../unified-task/task-tool.ts";

export interface TerminatePayload {
  tasks: TerminateRow[];
}

/** Runs one call of `task_terminate`. */
export async function executeTerminate(
  tool: UnifiedTool,
  args: TerminateArguments,
  signal: AbortSignal | undefined,
): Promise<AgentToolResult<TerminatePayload>> {
  const { parts, scope, book } = tool.session();
  const tasks = await terminateTasks({ ...parts, scope, book, graceMs: tool.config.graceMs }, args.task_ids, signal);
  return jsonResult({ tasks });
}
