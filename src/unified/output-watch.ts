import { statSync } from "node:fs";

/** Output reaches its file within 200 ms; a person does not feel as much again. */
const LOOK_EVERY_MS = 200;

interface Watched {
  bytes: number;
  listeners: Set<() => void>;
}

/**
 * Tells when files grow. All watchers share one timer, and a file is looked at once however many watch it: some
 * microseconds each, five times a second, nothing while nobody watches.
 */
export class OutputWatch {
  readonly #files = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  /** Hears of each change of the file's size from now on, until the returned function is called. */
  watch(path: string, listener: () => void): () => void {
    const file = this.#files.get(path) ?? { bytes: fileSize(path), listeners: new Set() };
    this.#files.set(path, file);
    file.listeners.add(listener);
    // Whoever waits keeps Node alive by itself.
    this.#timer ??= setInterval(() => {
      this.#look();
    }, LOOK_EVERY_MS).unref();
    return () => {
      file.listeners.delete(listener);
      if (file.listeners.size === 0 && this.#files.get(path) === file) this.#files.delete(path);
      if (this.#files.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #look(): void {
    for (const [path, file] of this.#files) {
      const bytes = fileSize(path);
      if (bytes === file.bytes) continue;
      file.bytes = bytes;
      for (const listener of [...file.listeners]) listener();
    }
  }
}

/** 0 for a file that is not there or cannot be looked at; never throws. */
export function fileSize(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}
