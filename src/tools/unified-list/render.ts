import type { AgentToolResult, Theme } from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { formatDuration } from "../../format/duration.ts";
import type { ListArguments } from "../../schema/unified-list.ts";
import type { RenderContext } from "../../ui/render-context.ts";
import { callRows, plain, resultRows } from "../../ui/tool-rows.ts";
import type { ListPayload, ListRow } from "./execute.ts";

/** Which tasks are asked for. */
export function renderListCall(
  args: Partial<ListArguments> | undefined,
  theme: Theme,
  context: RenderContext<object>,
): Component {
  const statuses = Array.isArray(args?.statuses) ? args.statuses.join(", ") : "queued, running";
  return callRows(context.lastComponent, "tasks", statuses, theme);
}

/** A line for each, children indented below their parents. */
export function renderListResult(
  result: AgentToolResult<ListPayload>,
  expanded: boolean,
  theme: Theme,
  context: RenderContext<object>,
): Component {
  const payload = result.details as Partial<ListPayload> | undefined;
  const tasks = Array.isArray(payload?.tasks) ? payload.tasks : [];
  const shown = new Set(tasks.map(({ taskId }) => taskId));
  const roots = tasks.filter(({ parentId }) => parentId === null || !shown.has(parentId));
  const rows = asTree(roots, tasks, 0).map(({ task, indent }) => ({ line: describeTask(task, indent, theme) }));
  if (rows.length === 0) rows.push({ line: theme.fg("muted", "none") });
  return resultRows(context.lastComponent, rows, expanded, theme, "");
}

/** Each task followed by those below it. A parent is in the list before its children, so there are no circles. */
function asTree(
  level: readonly ListRow[],
  all: readonly ListRow[],
  indent: number,
): { task: ListRow; indent: number }[] {
  return level.flatMap((task) => {
    const children = all.slice(all.indexOf(task) + 1).filter(({ parentId }) => parentId === task.taskId);
    return [{ task, indent }, ...asTree(children, all, indent + 1)];
  });
}

function describeTask(task: ListRow, indent: number, theme: Theme): string {
  const isActive = task.status === "running" || task.status === "queued";
  const name = plain(task.title ?? task.display_name ?? task.taskId);
  const type = task.agentType === undefined ? "" : ` (${plain(task.agentType)})`;
  const facts = `${task.status} · ${formatDuration(task.uptime_ms)} · ${plain(task.taskId)}`;
  return `${"  ".repeat(indent)}${theme.fg(isActive ? "accent" : "muted", "●")} ${name}${type} ${theme.fg("muted", facts)}`;
}
