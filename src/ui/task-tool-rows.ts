// How the calls of the task tools and their results look in the conversation.
import type { Theme } from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { cutToCells, plainLine } from "./cells.ts";
import { Rows } from "./rows.ts";

/** Result rows shown while the result is not expanded. */
const COLLAPSED_ROWS = 10;

interface ResultView {
  content: readonly { type: string; text?: string }[];
}

/** `TaskUpdate #3 completed` */
export function taskCallRow(tool: string, rest: string, theme: Theme): Component {
  const line = `${theme.fg("toolTitle", theme.bold(tool))} ${theme.fg("muted", plainLine(rest))}`;
  return new Rows((width) => [cutToCells(line, width)]);
}

/** The text of the result; a long one is cut in the middle of nothing and says how much is missing. */
export function taskResultRows(result: ResultView, expanded: boolean, isError: boolean, theme: Theme): Component {
  const text = result.content.map((part) => part.text ?? "").join("\n");
  const rows = text.split("\n").map(plainLine);
  const shown = expanded ? rows : rows.slice(0, COLLAPSED_ROWS);
  const colour = isError ? "error" : "toolOutput";
  const lines = shown.map((row) => theme.fg(colour, row));
  if (shown.length < rows.length) lines.push(theme.fg("muted", `… ${rows.length - shown.length} more lines`));
  return new Rows((width) => lines.map((line) => cutToCells(line, width)));
}
