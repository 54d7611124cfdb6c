import type { AgentToolUpdateCallback, ExtensionToolContext } from "@earendil-works/pi-coding-agent";
import { MAX_TIMER_MS } from "../../config.ts";
import { movedNote, waitNote, type TaskAnswer } from "../../format/task-answer.ts";
import { formatCommandReport } from "../../format/task-report.ts";
import type { Handover } from "../../runs/handover.ts";
import { taskIdOf } from "../../runs/run.ts";
import type { BashArguments } from "../../schema/bash.ts";
import type { TaskRequest } from "../../schema/unified-task.ts";
import type { BashDetails } from "../bash/details.ts";
import type { TaskTool } from "./task-tool.ts";

type CommandRequest = Extract<TaskRequest, { kind: "bash" }>;
export type CommandContext = Pick<ExtensionToolContext, "executeTool">;

/**
 * Runs a command by calling bash through pi, so that every hook on bash sees it, and may block or change it. What is
 * answered is what those hooks have left of the result.
 *
 * Errors: throws with the reason when the command could not start or was not allowed to.
 */
export async function runCommand(
  tool: TaskTool,
  toolCallId: string,
  request: CommandRequest,
  signal: AbortSignal | undefined,
  onUpdate: AgentToolUpdateCallback | undefined,
  context: CommandContext,
): Promise<TaskAnswer> {
  const handover: Handover = { task: { kind: "bash", title: request.displayName } };
  const end = tool.session().parts.service.handovers.begin(toolCallId, handover);
  try {
    const args: BashArguments = {
      command: request.script,
      timeout: Math.min(Math.max(Math.ceil(request.timeoutSecs * 1000), 1), MAX_TIMER_MS),
      description: request.displayName,
      ...(request.background && { run_in_background: true }),
    };
    const outcome = await context.executeTool(tool.config.toolName, args, {
      ...(signal !== undefined && { signal }),
      ...(onUpdate !== undefined && { onUpdate }),
    });
    const text = textOf(outcome.result.content);
    const { run, answer } = handover;
    if (run === undefined || answer === undefined) throw new Error(reasonOf(text, outcome.isError, tool));
    const details = (outcome.result.details ?? {}) as BashDetails;
    return describeCommand(request.displayName, { ...handover, run, answer }, { text, details });
  } finally {
    end();
  }
}

/** The answer to a call whose run has ended or goes on without it; of what bash has said, text and details as hooks have left them. */
export function describeCommand(
  title: string,
  { run, answer, movedBy }: Handover & Required<Pick<Handover, "run" | "answer">>,
  { text, details }: { text: string; details: BashDetails },
): TaskAnswer {
  const { output, notes } = readAnswer(text, answer);
  const ended = (): Completed => describeEnd(title, run.command, details, output, notes);
  if (run.foreground) return ended();
  const taskId = taskIdOf(run);
  // Also when it is the shell itself that could not be ended: its call is over.
  if (run.leftover)
    return { ...ended(), taskId, note: `Processes of this command are still running. ${waitNote(taskId)}` };
  const note = movedBy === undefined ? waitNote(taskId) : movedNote(movedBy, taskId);
  return {
    status: "running",
    taskId,
    title,
    note: [...notes, note].join(" "),
    ...(movedBy !== undefined && { output }),
    ...(run.outputPath !== "" && { outputPath: run.outputPath }),
  };
}

type Completed = Extract<TaskAnswer, { status: "completed" }>;

function describeEnd(
  title: string,
  script: string,
  details: BashDetails,
  output: string,
  notes: readonly string[],
): Completed {
  const { exitCode, signal, truncation, fullOutputPath } = details;
  const ended =
    details.timedOut === true ? "timed_out" : details.aborted === true || signal !== undefined ? "killed" : "exited";
  const truncated = truncation && { reason: truncation.reason, totalLines: truncation.totalLines };
  const note = details.aborted === true ? "The command was aborted before it had ended." : undefined;
  return {
    status: "completed",
    title,
    reportMarkdown: formatCommandReport({
      title,
      script,
      outcome: ended,
      exitCode,
      durationMs: details.durationMs ?? 0,
      truncated: truncated && { ...truncated, outputPath: fullOutputPath ?? "not available" },
      notes: note === undefined ? notes : [...notes, note],
      output,
    }),
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
    ...(details.timedOut === true && { timedOut: true as const }),
    ...(note !== undefined && { note }),
    ...(truncated !== undefined && { truncated }),
    ...(fullOutputPath !== undefined && { outputPath: fullOutputPath }),
  };
}

/**
 * What the command printed, as hooks on results have left it. Behind it bash says how the command ended, which the
 * report says in its own place; when a hook has written something else, that is all there is to say.
 */
function readAnswer(text: string, answer: NonNullable<Handover["answer"]>): { output: string; notes: string[] } {
  const { output, notes } = answer;
  if (text === answer.text) return { output, notes };
  const ending = answer.text.slice(output.length);
  if (!text.endsWith(ending)) return { output: text, notes: [] };
  return { output: text.slice(0, text.length - ending.length), notes };
}

function reasonOf(text: string, isError: boolean, tool: TaskTool): string {
  if (isError) return text === "" ? "The command was refused." : text;
  return `The tool ${tool.config.toolName} in use is not the one of pi-foreman, so the command cannot be followed as a task: another extension has registered it first.`;
}

function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.map((part) => part.text ?? "").join("");
}
