import type { AgentToolResult } from "@earendil-works/pi-coding-agent";
import type { Config } from "../../config.ts";
import { formatTaskStop, type TaskStopDetails, type TaskStopOutcome } from "../../format/task-stop.ts";
import type { RunRegistry } from "../../runs/registry.ts";
import { stopTask } from "../../runs/stop.ts";
import type { TaskStopArguments } from "../../schema/task-stop.ts";
import type { CallFailures } from "../call-failures.ts";

export interface TaskStopTool {
  registry: RunRegistry;
  config: Pick<Config, "graceMs">;
  failures: CallFailures;
}

export type TaskStopResult = AgentToolResult<TaskStopDetails>;

/** Runs one call of TaskStop. */
export async function executeTaskStop(
  tool: TaskStopTool,
  toolCallId: string,
  args: TaskStopArguments,
  signal: AbortSignal | undefined,
): Promise<TaskStopResult> {
  const id = (args.task_id ?? args.shell_id ?? "").trim();
  const outcome: TaskStopOutcome =
    id === "" ? { kind: "no-id" } : await stopTask(tool.registry, id, { graceMs: tool.config.graceMs, signal });
  const { text, details, isError } = formatTaskStop(outcome);
  if (isError) tool.failures.add(toolCallId);
  return { content: [{ type: "text", text }], details, isError };
}
