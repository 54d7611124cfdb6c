// Text from anywhere, made safe for a row of a terminal.
import { stripTerminalSequences, truncateToWidth } from "@earendil-works/pi-tui/dist/utils.js";

/** Control characters, and the marks that make a terminal write the other way round. */

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]+/g;

/** The text without terminal sequences and control characters, on one line. */
export function plainLine(text: string): string {
  return stripTerminalSequences(text).replace(UNSAFE, " ").trim();
}

/** The text cut to a width in cells, `…` where something is missing. May hold colours. */
export function cutToCells(text: string, widthCells: number): string {
  return truncateToWidth(text, widthCells, "…");
}
