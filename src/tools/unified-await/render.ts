import type { AgentToolResult, Theme } from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { formatDuration } from "../../format/duration.ts";
import type { AwaitArguments } from "../../schema/unified-await.ts";
import type { AwaitRow } from "../../unified/await-row.ts";
import type { RenderContext } from "../../ui/render-context.ts";
import { callRows, plain, resultRows, type ToolRow } from "../../ui/tool-rows.ts";
import type { AwaitPayload } from "./execute.ts";

const COLLAPSED_OUTPUT_ROWS = 5;

/** What is waited for. */
export function renderAwaitCall(
  args: Partial<AwaitArguments> | undefined,
  theme: Theme,
  context: RenderContext<object>,
): Component {
  const ids = Array.isArray(args?.task_ids) ? args.task_ids : [];
  const filter =
    args?.filter === undefined ? "" : ` ${args.filter_exclude === true ? "without" : "with"} /${args.filter}/`;
  const limit = args?.timeout_secs === undefined ? "" : ` (at most ${args.timeout_secs}s)`;
  return callRows(
    context.lastComponent,
    "await",
    `${ids.length === 0 ? "all tasks" : ids.join(", ")}${filter}${limit}`,
    theme,
  );
}

/** A line for each task, and what it has printed or reported. */
export function renderAwaitResult(
  result: AgentToolResult<AwaitPayload>,
  expanded: boolean,
  theme: Theme,
  context: RenderContext<object>,
): Component {
  const payload = result.details as Partial<AwaitPayload> | undefined;
  const hint = context.keyHint("app.tools.expand", "to expand");
  if (!Array.isArray(payload?.tasks)) {
    const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    return resultRows(context.lastComponent, [{ text, collapsedRows: COLLAPSED_OUTPUT_ROWS }], expanded, theme, hint);
  }
  const rows = payload.tasks.flatMap((row) => describeRow(row, theme));
  if (payload.note !== undefined) rows.push({ line: theme.fg("muted", plain(payload.note)) });
  return resultRows(context.lastComponent, rows, expanded, theme, hint);
}

function describeRow(row: AwaitRow, theme: Theme): ToolRow[] {
  const id = plain(row.taskId);
  switch (row.status) {
    case "completed": {
      const ok = row.outcome === "exited" && (row.exitCode ?? 0) === 0;
      const ending = row.exitCode === undefined ? row.outcome : `${row.outcome} ${row.exitCode}`;
      const line = `${theme.fg(ok ? "success" : "error", "●")} ${theme.fg("muted", `${plain(row.title)} · ${ending} · ${formatDuration(row.elapsed_ms)} · ${id}`)}`;
      const text = id.startsWith("agent:") ? row.reportMarkdown : (row.output ?? "");
      return [{ line }, { text, collapsedRows: COLLAPSED_OUTPUT_ROWS }];
    }
    case "running":
      return [
        {
          line: `${theme.fg("accent", "○")} ${theme.fg("muted", `${id} · running ${formatDuration(row.elapsed_ms)}${noteOf(row.note)}`)}`,
        },
        { text: row.output ?? "", collapsedRows: COLLAPSED_OUTPUT_ROWS },
      ];
    case "queued":
      return [{ line: theme.fg("muted", `○ ${id} · queued${noteOf(row.note)}`) }];
    case "error":
      return [{ line: theme.fg("error", `● ${id} · ${plain(row.error)}`) }];
    default:
      return [{ line: theme.fg("error", `● ${id} · ${row.status.replace("_", " ")}`) }];
  }
}

function noteOf(note: string | undefined): string {
  return note === undefined ? "" : ` · ${plain(note)}`;
}
