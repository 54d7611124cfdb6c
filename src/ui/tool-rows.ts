import type { Theme } from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { cleanText } from "../format/clean-text.ts";
import { showControls } from "../format/visible-controls.ts";
import { reuseRows, type Rows } from "./rows.ts";
import { truncateToWidth, wrapTextWithAnsi } from "./terminal-text.ts";

/** Collapsed, the person sees that there is more; expanded, all of it up to what a terminal can scroll. */
const MAX_DRAWN_CHARS = 200_000;

/** One thing to show: a line that is cut at the width, or a text that is wrapped. */
export type ToolRow = { line: string } | { text: string; collapsedRows: number };

/** The row of a call: its name and what it is about. */
export function callRows(last: Component | undefined, name: string, about: string, theme: Theme): Rows {
  const text = `${theme.fg("toolTitle", theme.bold(name))} ${theme.fg("accent", plain(about))}`;
  return reuseRows(last, (width) => wrapTextWithAnsi(text, width));
}

/** The rows of a result. `hint` is shown below a text that is collapsed. */
export function resultRows(
  last: Component | undefined,
  rows: readonly ToolRow[],
  expanded: boolean,
  theme: Theme,
  hint: string,
): Rows {
  return reuseRows(last, (width) => {
    const drawn = rows.flatMap((row) => drawRow(row, width, expanded, theme, hint));
    return drawn.length === 0 ? [] : ["", ...drawn];
  });
}

function drawRow(row: ToolRow, width: number, expanded: boolean, theme: Theme, hint: string): string[] {
  if ("line" in row) return [truncateToWidth(row.line, width, "…")];
  const text = cleanText(row.text.slice(0, MAX_DRAWN_CHARS)).replaceAll("\t", "   ").trim();
  if (text === "") return [];
  const lines = wrapTextWithAnsi(theme.fg("toolOutput", text), width);
  if (expanded || lines.length <= row.collapsedRows) return lines;
  const hidden = lines.length - row.collapsedRows;
  return [...lines.slice(0, row.collapsedRows), truncateToWidth(hiddenLines(hidden, "more", hint, theme), width)];
}

/** What stands for the lines that a collapsed text does not show, with the key that shows them. */
export function hiddenLines(hidden: number, which: "more" | "earlier", hint: string, theme: Theme): string {
  const count = `... (${hidden} ${which} ${hidden === 1 ? "line" : "lines"},`;
  return `${theme.fg("muted", count)} ${hint}${theme.fg("muted", ")")}`;
}

/** Text from anywhere on one line, with nothing that a terminal would obey. */
export function plain(text: string): string {
  return showControls(cleanText(text)).replace(/\s+/g, " ").trim();
}
