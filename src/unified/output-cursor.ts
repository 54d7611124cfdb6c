import type { Addon, ReadResult } from "../native.ts";

/** What to read of a task's output. */
export interface CursorRead {
  /** Names the reader and the task: each pair has a cursor of its own. */
  key: string;
  path: string;
  /** Where a reader starts that has read nothing in this process. */
  from: number;
  filter?: string | undefined;
  exclude?: boolean | undefined;
  /** No more output will come: a last line without newline counts. */
  final: boolean;
  maxBytes: number;
  /** False once nobody takes the lines any more: then they stay for the next reader. */
  isWanted: () => boolean;
}

/** A read, and whether it moved past a line, wanted or not. */
export interface CursorResult extends ReadResult {
  moved: boolean;
}

/**
 * Where each reader of an output file is. Reads of one reader come one after the other, each from where the one before
 * has ended, so two of them never give the same line and never lose one. A read that fails moves nothing.
 */
export class OutputCursors {
  readonly #addon: Addon;
  readonly #positions = new Map<string, number>();
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(addon: Addon) {
    this.#addon = addon;
  }

  /** Where the reader is: its next byte. */
  position(key: string, from = 0): number {
    return this.#positions.get(key) ?? from;
  }

  /** Complete lines that this reader has not been given yet. Errors: `ForemanError` codes of the core's `read`. */
  async read(request: CursorRead): Promise<CursorResult> {
    const before = this.#queues.get(request.key) ?? Promise.resolve();
    const reading = before.then(() => this.#readNow(request));
    // Whoever waits in line must not fail for what went wrong before.
    const settled = reading.catch(() => undefined);
    this.#queues.set(request.key, settled);
    void settled.then(() => {
      if (this.#queues.get(request.key) === settled) this.#queues.delete(request.key);
    });
    return reading;
  }

  async #readNow({ key, path, from, filter, exclude, final, maxBytes, isWanted }: CursorRead): Promise<CursorResult> {
    const start = this.position(key, from);
    const result = await this.#addon.read(path, start, {
      ...(filter !== undefined && { filter }),
      ...(exclude === true && { exclude }),
      final,
      maxBytes,
    });
    if (isWanted()) this.#positions.set(key, result.cursor);
    return { ...result, moved: result.cursor !== start };
  }
}
