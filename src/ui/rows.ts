import type { Component } from "@earendil-works/pi-tui";

/** A component that is a function of the width; what it gave for a width is kept until it is told of a change. */
export class Rows implements Component {
  #draw: (width: number) => string[];
  #cached: { width: number; lines: string[] } | undefined;

  constructor(draw: (width: number) => string[]) {
    this.#draw = draw;
  }

  /** Draws something else from now on. */
  setDraw(draw: (width: number) => string[]): void {
    this.#draw = draw;
    this.invalidate();
  }

  render(width: number): readonly string[] {
    if (this.#cached?.width !== width) this.#cached = { width, lines: this.#drawSafely(Math.max(1, width)) };
    return this.#cached.lines;
  }

  /** pi draws outside of any `try`: an exception here would end it. */
  #drawSafely(width: number): string[] {
    try {
      return this.#draw(width);
    } catch {
      return [];
    }
  }

  invalidate(): void {
    this.#cached = undefined;
  }
}

/** The component of the earlier drawing when it is one of ours, so that pi keeps its place; else a new one. */
export function reuseRows(last: Component | undefined, draw: (width: number) => string[]): Rows {
  if (!(last instanceof Rows)) return new Rows(draw);
  last.setDraw(draw);
  return last;
}
