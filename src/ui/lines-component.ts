// The smallest component: lines, cut to the width they are drawn in.
import type { Component } from "@earendil-works/pi-tui";
import { cutToCells } from "./cells.ts";

/** Draws what `lines` gives at that moment. */
export function linesComponent(lines: (widthCells: number) => readonly string[]): Component {
  return {
    render: (width) => lines(width).map((line) => cutToCells(line, width)),
    invalidate: () => undefined,
  };
}
