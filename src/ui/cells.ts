// Text from anywhere, made safe for a row of a terminal.
import { stripTerminalSequences, truncateToWidth } from "./terminal-text.ts";

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** Marks that make a terminal write the other way round. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** The text without terminal sequences and control characters, on one line, blanks never doubled. */
export function plainLine(text: string): string {
  return stripTerminalSequences(text).replace(DIRECTION, "").replace(CONTROL, " ").replace(/ {2,}/g, " ").trim();
}

/** The text cut to a width in cells, `…` where something is missing. May hold colours. */
export function cutToCells(text: string, widthCells: number): string {
  return truncateToWidth(text, widthCells, "…");
}
