import type { AgentToolResult, Theme } from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import type { TerminateArguments } from "../../schema/unified-terminate.ts";
import type { RenderContext } from "../../ui/render-context.ts";
import { callRows, plain, resultRows } from "../../ui/tool-rows.ts";
import type { TerminateRow } from "../../unified/terminate.ts";
import type { TerminatePayload } from "./execute.ts";

/** What is to end. */
export function renderTerminateCall(
  args: Partial<TerminateArguments> | undefined,
  theme: Theme,
  context: RenderContext<object>,
): Component {
  const ids = Array.isArray(args?.task_ids) ? args.task_ids.join(", ") : "";
  return callRows(context.lastComponent, "terminate", ids, theme);
}

/** A line for each: what has ended with it, or why it has not. */
export function renderTerminateResult(
  result: AgentToolResult<TerminatePayload>,
  expanded: boolean,
  theme: Theme,
  context: RenderContext<object>,
): Component {
  const payload = result.details as Partial<TerminatePayload> | undefined;
  const tasks = Array.isArray(payload?.tasks) ? payload.tasks : [];
  const rows = tasks.map((task) => ({ line: describeRow(task, theme) }));
  return resultRows(context.lastComponent, rows, expanded, theme, "");
}

function describeRow(row: TerminateRow, theme: Theme): string {
  const id = plain(row.taskId);
  switch (row.status) {
    case "terminated": {
      const others = row.terminatedTaskIds.filter((other) => other !== row.taskId);
      const before = others.length === 0 ? "" : `, after ${others.map(plain).join(", ")}`;
      return `${theme.fg("success", "●")} ${theme.fg("muted", `${id} ended${before}`)}`;
    }
    case "error":
      return theme.fg("error", `● ${id} · ${plain(row.error)}`);
    default:
      return theme.fg("error", `● ${id} · ${row.status.replace("_", " ")}`);
  }
}
