// `<root>/<list>/tasks.json`: reading it, writing it, and setting it aside when it is not what it should be.
import { copyFile, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { replaceFile, type ReplaceOptions } from "./atomic-file.ts";
import { errnoOf } from "./errno.ts";
import { parseSnapshot } from "./snapshot.ts";
import type { Task, TaskList } from "./task.ts";

export type DiskRead =
  | { state: "missing" }
  | { state: "unchanged" }
  | { state: "read"; list: TaskList; badRecords: number }
  /** Torn, empty, or something else. */
  | { state: "damaged" };

/** Leftovers of processes that were killed in the middle are removed when they are this old. */
const LEFTOVER_AGE_MS = 60 * 60 * 1_000;

const LEFTOVER_NAME = /^(\.tasks\.json\..*\.tmp|lock-[0-9a-f-]{36})$/;

const encoded = new WeakMap<Task, string>();

/** JSON of a task. Tasks never change, so each is encoded once however often the list is written. */
function encodeTask(task: Task): string {
  let text = encoded.get(task);
  if (text === undefined) {
    text = JSON.stringify(task);
    encoded.set(task, text);
  }
  return text;
}

/** The file's content: one line per task, so that people and diff can read it. */
export function encodeList(list: TaskList): string {
  const tasks = list.tasks.length === 0 ? "" : `\n${list.tasks.map(encodeTask).join(",\n")}\n`;
  return `{"tasks":[${tasks}],"highWaterMark":${list.highWaterMark},"revision":${list.revision}}\n`;
}

export class DiskCopy {
  readonly folder: string;
  readonly file: string;
  /** What the file looked like when it was last read or written by us. */
  #fingerprint: string | undefined;

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

  /** Makes the folder (0700) and removes what killed processes left in it. */
  async prepare(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.folder)) {
      if (!LEFTOVER_NAME.test(name)) continue;
      const leftover = path.join(this.folder, name);
      const { mtimeMs } = await stat(leftover).catch(() => ({ mtimeMs: Infinity }));
      if (Date.now() - mtimeMs > LEFTOVER_AGE_MS)
        await rm(leftover, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  /** Errors: whatever the system said; the old file is then untouched. */
  async write(list: TaskList, options?: ReplaceOptions): Promise<void> {
    const content = encodeList(list);
    try {
      await replaceFile(this.file, content, options);
    } catch (error) {
      // The folder was removed under us, or is not there yet.
      if (errnoOf(error) !== "ENOENT") throw error;
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
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
