import { statSync } from "node:fs";

/** Output reaches its file within 200 ms; a person does not feel as much again. */
const LOOK_EVERY_MS = 200;
/** After so many looks without a change there is no hurry: what is silent for seconds may be heard half a second late. */
const SILENT_LOOKS = 25;
const LOOK_AT_SILENCE_EVERY_MS = 500;

interface Watched {
  bytes: number;
  listeners: Set<() => void>;
}

/**
 * Tells when files grow. All watchers share one timer, and a file is looked at once however many watch it: some
 * microseconds each, two to five times a second, nothing while nobody watches.
 */
export class OutputWatch {
  readonly #files = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;
  #silentLooks = 0;

  /** Hears of each change of the file's size from now on, until the returned function is called. */
  watch(path: string, listener: () => void): () => void {
    const file = this.#files.get(path) ?? { bytes: fileSize(path), listeners: new Set() };
    this.#files.set(path, file);
    file.listeners.add(listener);
    // Whoever waits keeps Node alive by itself.
    this.#silentLooks = 0;
    if (!this.#isWaiting()) this.#lookLater();
    return () => {
      file.listeners.delete(listener);
      if (file.listeners.size === 0 && this.#files.get(path) === file) this.#files.delete(path);
      if (this.#files.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  #lookLater(): void {
    const delayMs = this.#silentLooks < SILENT_LOOKS ? LOOK_EVERY_MS : LOOK_AT_SILENCE_EVERY_MS;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#silentLooks++;
      this.#look();
      // Whoever was told may have been the last one, or have begun another wait.
      if (this.#files.size > 0 && !this.#isWaiting()) this.#lookLater();
    }, delayMs).unref();
  }

  #isWaiting(): boolean {
    return this.#timer !== undefined;
  }

  #look(): void {
    for (const [path, file] of this.#files) {
      const bytes = fileSize(path);
      if (bytes === file.bytes) continue;
      file.bytes = bytes;
      this.#silentLooks = 0;
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
