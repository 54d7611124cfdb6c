import type { Component } from "@earendil-works/pi-tui";

/** What a drawing depends on besides the width, compared one by one. */
export type RowsKey = readonly unknown[];

/** A component that is a function of the width; what it gave for a width is kept until it is told of a change. */
export class Rows implements Component {
  #draw: (width: number) => string[];
  #key: RowsKey | undefined;
  #cached: { width: number; lines: string[] } | undefined;

  constructor(draw: (width: number) => string[], key?: RowsKey) {
    this.#draw = draw;
    this.#key = key;
  }

  /** Draws something else from now on; with the key of the drawing before, what that one gave is kept. */
  setDraw(draw: (width: number) => string[], key?: RowsKey): void {
    const isSame = key?.length === this.#key?.length && key?.every((part, index) => part === this.#key?.[index]);
    this.#draw = draw;
    this.#key = key;
    if (isSame !== true) this.invalidate();
  }

  render(width: number): readonly string[] {
    if (this.#cached?.width !== width) this.#cached = { width, lines: drawSafely(this.#draw, width) };
    return this.#cached.lines;
  }

  invalidate(): void {
    this.#cached = undefined;
  }
}

/** A component that draws anew each time it is asked: for what depends on more than the width and what it is told. */
export function liveRows(draw: (width: number) => string[]): Component {
  return { render: (width) => drawSafely(draw, width), invalidate: () => undefined };
}

/** pi draws outside of any `try`: an exception here would end it. */
function drawSafely(draw: (width: number) => string[], width: number): string[] {
  try {
    return draw(Math.max(1, width));
  } catch {
    return [];
  }
}

/** The component of the earlier drawing when it is one of ours, so that pi keeps its place; else a new one. */
export function reuseRows(last: Component | undefined, draw: (width: number) => string[], key?: RowsKey): Rows {
  if (!(last instanceof Rows)) return new Rows(draw, key);
  last.setDraw(draw, key);
  return last;
}
