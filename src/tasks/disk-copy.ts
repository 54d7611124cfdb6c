// `<root>/<list>/tasks.json`: reading it, writing it, and setting it aside when it is not what it should be.
import { copyFile, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { replaceFile, type ReplaceOptions } from "./atomic-file.ts";
import { errnoOf } from "./errno.ts";
import { createListEncoder } from "./list-encoding.ts";
import { parseSnapshot } from "./snapshot.ts";
import type { TaskList } from "./task.ts";

export type DiskRead =
  | { state: "missing" }
  | { state: "unchanged" }
  | { state: "read"; list: TaskList; badRecords: number }
  /** Torn, empty, or something else. */
  | { state: "damaged" };

/** Leftovers of processes that were killed in the middle are removed when they are this old. */
const LEFTOVER_AGE_MS = 60 * 60 * 1_000;

const LEFTOVER_NAME = /^(\.tasks\.json\..*\.tmp|lock-[0-9a-f-]{36})$/;

export class DiskCopy {
  readonly folder: string;
  readonly file: string;
  /** What the file looked like when it was last read or written by us. */
  #fingerprint: string | undefined;
  readonly #encoder = createListEncoder();

  constructor(root: string, folderName: string) {
    this.folder = path.join(root, folderName);
    this.file = path.join(this.folder, "tasks.json");
  }

  /**
   * Errors: whatever the system said, but a missing file or folder, which is a state.
   */
  async read(): Promise<DiskRead> {
    let text: string;
    try {
      const fingerprint = await this.#look();
      if (fingerprint === this.#fingerprint) return { state: "unchanged" };
      text = await readFile(this.file, "utf8");
      this.#fingerprint = fingerprint;
    } catch (error) {
      const code = errnoOf(error);
      if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
      this.#fingerprint = undefined;
      return { state: "missing" };
    }
    try {
      const parsed = parseSnapshot(JSON.parse(text));
      if (parsed !== undefined) return { state: "read", ...parsed };
    } catch {
      // Not JSON: damaged.
    }
    this.#fingerprint = undefined;
    return { state: "damaged" };
  }

  /** Makes the folder (0700). */
  async makeFolder(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  /** Removes what processes left that were killed in the middle of something. Never throws. */
  async sweep(): Promise<void> {
    for (const name of await readdir(this.folder).catch(() => [])) {
      if (!LEFTOVER_NAME.test(name)) continue;
      const leftover = path.join(this.folder, name);
      const { mtimeMs } = await stat(leftover).catch(() => ({ mtimeMs: Infinity }));
      if (Date.now() - mtimeMs <= LEFTOVER_AGE_MS) continue;
      await rm(leftover, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  /** Errors: whatever the system said; the old file is then untouched. */
  async write(list: TaskList, options?: ReplaceOptions): Promise<void> {
    const content = this.#encoder.encode(list);
    try {
      await replaceFile(this.file, content, options);
    } catch (error) {
      // The folder was removed under us, or is not there yet.
      if (errnoOf(error) !== "ENOENT") throw error;
      await this.makeFolder();
      await replaceFile(this.file, content, options);
    }
    this.#fingerprint = await this.#look().catch(() => undefined);
  }

  /** Moves (or, to keep the readable part in place, copies) the file out of the way. The new path, or why not. */
  async setAside(how: "move" | "copy", now: Date = new Date()): Promise<{ path: string } | { error: unknown }> {
    const aside = path.join(this.folder, `tasks.damaged-${now.toISOString().replaceAll(":", "-")}.json`);
    try {
      await (how === "move" ? rename(this.file, aside) : copyFile(this.file, aside));
      return { path: aside };
    } catch (error) {
      return { error };
    }
  }

  /** Every write makes a new file, so its inode, time and size tell one content from the next. */
  async #look(): Promise<string> {
    const { ino, mtimeNs, size } = await stat(this.file, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  }
}
