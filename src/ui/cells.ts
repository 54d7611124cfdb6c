// Text from anywhere, made safe for a row of a terminal.
import { truncateToWidth } from "./terminal-text.ts";

/** CSI, strings up to BEL or ST, short ones. Each look ends at the next ESC: pi-tui's own looks through the whole rest for an end. */
const SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-OQ-WYZ\\`-~])/g;

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** Marks that make a terminal write the other way round. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** The text without terminal sequences and control characters, on one line, blanks never doubled. */
export function plainLine(text: string): string {
  return text.replace(SEQUENCE, "").replace(DIRECTION, "").replace(CONTROL, " ").replace(/ {2,}/g, " ").trim();
}

/** The text cut to a width in cells, `…` where something is missing. May hold colours. */
export function cutToCells(text: string, widthCells: number): string {
  return truncateToWidth(text, widthCells, "…");
}
