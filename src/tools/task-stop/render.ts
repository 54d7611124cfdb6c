import type { Theme } from "@earendil-works/pi-coding-agent";
import { summarizeCommand } from "../../format/command-summary.ts";
import type { TaskStopArguments } from "../../schema/task-stop.ts";
import type { RenderContext } from "../../ui/render-context.ts";
import { reuseRows, type Rows } from "../../ui/rows.ts";
import { wrapTextWithAnsi } from "../../ui/terminal-text.ts";
import type { TaskStopResult } from "./execute.ts";

type Context = RenderContext<unknown>;

/** The row of a call: which task. */
export function renderTaskStopCall(args: Partial<TaskStopArguments> | undefined, theme: Theme, context: Context): Rows {
  const id = summarizeCommand(args?.task_id ?? args?.shell_id ?? "...");
  return reuseRows(context.lastComponent, (width) =>
    wrapTextWithAnsi(`${theme.fg("toolTitle", theme.bold("TaskStop"))} ${theme.fg("toolOutput", id)}`, width),
  );
}

/** The row of a result: its message, without the JSON around it. */
export function renderTaskStopResult(result: TaskStopResult, theme: Theme, context: Context): Rows {
  const details = result.details as Partial<TaskStopResult["details"]> | undefined;
  const message = details?.message ?? result.content.map((part) => (part.type === "text" ? part.text : "")).join(" ");
  return reuseRows(context.lastComponent, (width) =>
    message === ""
      ? []
      : wrapTextWithAnsi(theme.fg(context.isError ? "error" : "toolOutput", summarizeCommand(message, 300)), width),
  );
}
