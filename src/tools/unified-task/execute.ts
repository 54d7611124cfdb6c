import type { AgentToolResult, AgentToolUpdateCallback, ExtensionToolContext } from "@earendil-works/pi-coding-agent";
import type { TaskAnswer } from "../../format/task-answer.ts";
import { refineTask } from "../../schema/unified-task.ts";
import { jsonResult } from "../json-result.ts";
import { runAgent } from "./run-agent.ts";
import { runCommand } from "./run-command.ts";
import type { TaskTool } from "./task-tool.ts";

/** Runs one call of `task`. Throws with the reason for what could not start. */
export async function executeTask(
  tool: TaskTool,
  toolCallId: string,
  args: Record<string, unknown>,
  signal: AbortSignal | undefined,
  onUpdate: AgentToolUpdateCallback | undefined,
  context: ExtensionToolContext,
): Promise<AgentToolResult<TaskAnswer>> {
  const refined = refineTask(args);
  if (!refined.ok) {
    throw new Error(
      `task: nothing was started, the arguments are wrong:\n${refined.issues.map((issue) => `- ${issue}`).join("\n")}`,
    );
  }
  const { request } = refined;
  if (signal?.aborted === true) throw new Error("task: nothing was started, the call was aborted before.");
  if (request.kind === "bash") {
    const run = runCommand(tool, toolCallId, request, signal, onUpdate, context);
    return jsonResult(await (request.background ? tool.session().noteStart(run) : run));
  }
  const run = runAgent(tool, request, signal, onUpdate, context);
  return request.background ? tool.session().noteStart(run) : run;
}
