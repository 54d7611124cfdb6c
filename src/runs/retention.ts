import type { Dirent } from "node:fs";
import { lstat, readdir, rmdir, unlink } from "node:fs/promises";
import path from "node:path";

/** Logs are kept for a week after their last write. */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** An empty folder this young may be one that a run of another pi is about to write to. */
const YOUNG_FOLDER_MS = 60_000;

/** Output of a task, and what is kept beside it: its record, the draft of one, a request to end it that nobody has taken. */
const OUR_SUFFIX = /^\.(?:output|stop|task\.json(?:\.\d+\.new)?)$/;

export interface RetentionRequest {
  base: string;
  /** Files of runs that live on: kept however old. */
  liveOutputs: readonly string[];
  nowMs: number;
}

/**
 * Removes output files older than a week from the folders of all sessions, then the folders that are empty.
 *
 * Looks only at outputs and records in `<base>/<session>/tasks/` and follows no link. What cannot be read or removed stays; never
 * throws. Returns the removed files.
 */
export async function removeOldOutputs(request: RetentionRequest): Promise<string[]> {
  const live = new Set(request.liveOutputs.map((file) => path.resolve(file)));
  const removed: string[] = [];
  if (!(await isOwnFolder(request.base))) return removed;
  for (const session of await foldersIn(request.base)) {
    const sessionFolder = path.join(request.base, session);
    const tasksFolder = path.join(sessionFolder, "tasks");
    // The core's own folders (journal, shells) have no such folder and are left alone.
    if (!(await isOwnFolder(tasksFolder))) continue;
    const files = await removeOldFiles(tasksFolder, live, request.nowMs);
    removed.push(...files);
    await removeEmpty([tasksFolder, sessionFolder], files.length > 0, request.nowMs);
  }
  return removed;
}

async function removeOldFiles(folder: string, live: ReadonlySet<string>, nowMs: number): Promise<string[]> {
  const removed: string[] = [];
  for (const entry of await entriesIn(folder)) {
    const file = path.join(folder, entry.name);
    const [id, suffix] = splitName(entry.name);
    if (!entry.isFile() || !OUR_SUFFIX.test(suffix) || live.has(path.resolve(folder, `${id}.output`))) continue;
    try {
      if (nowMs - (await lstat(file)).mtimeMs <= RETENTION_MS) continue;
      await unlink(file);
      removed.push(file);
    } catch {
      // Gone by itself, or not ours to remove.
    }
  }
  return removed;
}

function splitName(name: string): [string, string] {
  const end = name.indexOf(".");
  return end < 0 ? [name, ""] : [name.slice(0, end), name.slice(end)];
}

async function removeEmpty(folders: readonly string[], justEmptied: boolean, nowMs: number): Promise<void> {
  for (const folder of folders) {
    try {
      if (!justEmptied && nowMs - (await lstat(folder)).mtimeMs <= YOUNG_FOLDER_MS) return;
      await rmdir(folder);
    } catch {
      // Not empty; then those above it are not either.
      return;
    }
    // Removing a folder changes the time of the one above.
    justEmptied = true;
  }
}

async function isOwnFolder(folder: string): Promise<boolean> {
  try {
    const stats = await lstat(folder);
    return stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid());
  } catch {
    return false;
  }
}

async function foldersIn(folder: string): Promise<string[]> {
  return (await entriesIn(folder)).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

async function entriesIn(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
