import type { AgentToolResult, Theme, ToolRenderResultOptions } from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import type { AgentProgress } from "../../agents/progress.ts";
import { MAX_TIMER_MS } from "../../config.ts";
import type { TaskAnswer } from "../../format/task-answer.ts";
import { describeAgentProgress, outputInReport } from "../../format/task-report.ts";
import type { RenderContext } from "../../ui/render-context.ts";
import { callRows, plain, resultRows, type ToolRow } from "../../ui/tool-rows.ts";
import type { BashDetails } from "../bash/details.ts";
import { renderBashCall, renderBashResult, type BashRowState } from "../bash/render.ts";
import type { AgentDetails } from "./run-agent.ts";

const COLLAPSED_REPORT_ROWS = 8;
/** A task states its own limit; only what a timer can hold bounds it. */
const TASK_LIMITS = { defaultTimeoutMs: MAX_TIMER_MS, maxTimeoutMs: MAX_TIMER_MS };

export type TaskArguments = Partial<Record<string, unknown>>;
type Context = RenderContext<BashRowState> & { args: unknown };

/** The row of a call: a command looks as it does with bash, an agent shows its type and title. */
export function renderTaskCall(args: TaskArguments | undefined, theme: Theme, context: Context): Component {
  if (args?.["kind"] === "bash") {
    const { script, timeout_secs: timeoutSecs, display_name: name } = args;
    return renderBashCall(
      {
        ...(typeof script === "string" && { command: script }),
        ...(typeof timeoutSecs === "number" && { timeout: timeoutSecs * 1000 }),
        ...(typeof name === "string" && { description: name }),
        ...(args["run_in_background"] === true && { run_in_background: true }),
      },
      theme,
      context,
      TASK_LIMITS,
    );
  }
  const about = [args?.["subagent_type"], args?.["title"]].filter((part) => typeof part === "string").join(": ");
  const suffix = args?.["run_in_background"] === true ? " (background)" : "";
  return callRows(context.lastComponent, "agent", `${about}${suffix}`, theme);
}

/** The rows of a result, live or final. */
export function renderTaskResult(
  result: AgentToolResult<TaskAnswer>,
  options: ToolRenderResultOptions,
  theme: Theme,
  context: Context,
): Component {
  const hint = context.keyHint("app.tools.expand", "to expand");
  if ((context.args as TaskArguments | undefined)?.["kind"] === "bash")
    return renderCommand(result, options, theme, context, hint);
  const rows = agentRows(result, theme, context.isError);
  return resultRows(context.lastComponent, rows, options.expanded, theme, hint);
}

function renderCommand(
  result: AgentToolResult<TaskAnswer>,
  options: ToolRenderResultOptions,
  theme: Theme,
  context: Context,
  hint: string,
): Component {
  const answer = result.details as Partial<TaskAnswer> | undefined;
  // While it runs, and when it was refused, what bash itself has said is all there is.
  if (options.isPartial || answer?.status === undefined) {
    return renderBashResult(result as unknown as AgentToolResult<BashDetails>, options, theme, context);
  }
  if (answer.status !== "completed") {
    const output = answer.status === "running" ? (answer.output ?? "") : "";
    return resultRows(
      context.lastComponent,
      [
        { text: output, collapsedRows: COLLAPSED_REPORT_ROWS },
        { line: theme.fg("muted", `${answer.status} · ${plain(answer.taskId ?? "")}`) },
      ],
      options.expanded,
      theme,
      hint,
    );
  }
  const { exitCode, timedOut, note, outputPath } = answer;
  const output = outputInReport(answer.reportMarkdown ?? "");
  const ending = [
    ...(timedOut === true ? ["Timed out"] : []),
    ...(exitCode !== undefined && exitCode !== 0 ? [`Exit code ${exitCode}`] : []),
    ...(note === undefined ? [] : [note]),
  ];
  const shown: AgentToolResult<BashDetails> = {
    content: [{ type: "text", text: [output, ...ending].filter((part) => part !== "").join("\n") }],
    details: {
      ...(exitCode !== undefined && { exitCode }),
      ...(outputPath !== undefined && { fullOutputPath: outputPath }),
    },
  };
  return renderBashResult(shown, options, theme, context);
}

function agentRows(result: AgentToolResult<TaskAnswer>, theme: Theme, isError: boolean): ToolRow[] {
  const details = result.details as Partial<AgentDetails> | undefined;
  if (isError || details?.status === undefined) {
    const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    return [{ text, collapsedRows: COLLAPSED_REPORT_ROWS }];
  }
  if (details.status === "completed") {
    return [{ text: details.reportMarkdown ?? "", collapsedRows: COLLAPSED_REPORT_ROWS }];
  }
  const progress = details.progress === undefined ? "" : ` · ${describeProgress(details.progress)}`;
  return [{ line: theme.fg("muted", `${details.status} · ${plain(details.taskId ?? "")}${progress}`) }];
}

function describeProgress(progress: AgentProgress): string {
  return plain(describeAgentProgress(progress));
}
