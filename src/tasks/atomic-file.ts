// A file that is always whole: a reader sees what was there before or what is there after, also across a crash.
import { randomUUID } from "node:crypto";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errnoOf } from "./errno.ts";

/** IOV_MAX on Linux and macOS. */
const MAX_PARTS_PER_WRITE = 1_024;

/** Windows refuses to replace a file that a scanner or indexer holds open; they let go within moments. */
const RENAME_RETRY_DELAYS_MS = [5, 10, 20, 40, 80, 160, 320, 640] as const;

const HELD_OPEN = new Set(["EPERM", "EACCES", "EBUSY"]);

async function renameOver(from: string, to: string): Promise<void> {
  for (const delayMs of process.platform === "win32" ? RENAME_RETRY_DELAYS_MS : []) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      if (!HELD_OPEN.has(errnoOf(error) ?? "")) throw error;
      await sleep(delayMs);
    }
  }
  await rename(from, to);
}

/** Makes the rename itself durable. Not every system lets a folder be synced; the content is safe without it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The file is whole either way; after a power cut the old one may come back.
  }
}

/** Writes the parts in as few calls as the system takes; a full disk shows as a short write before it is an error. */
async function writeAll(handle: FileHandle, parts: readonly Buffer[]): Promise<void> {
  let left = parts.filter((part) => part.length > 0);
  while (left.length > 0) {
    let { bytesWritten } = await handle.writev(left.slice(0, MAX_PARTS_PER_WRITE));
    const rest: Buffer[] = [];
    for (const part of left) {
      const done = Math.min(bytesWritten, part.length);
      bytesWritten -= done;
      if (done < part.length) rest.push(part.subarray(done));
    }
    left = rest;
  }
}

export interface ReplaceOptions {
  /** Asked once the new content is safely on disk, before it takes the place of the old; a throw keeps the old. */
  beforeRename?: () => Promise<void>;
}

/**
 * Replaces a file (0600) by new content that is on disk before the old one is gone.
 *
 * Errors: whatever the system said; the old file is untouched and no temporary file is left.
 */
export async function replaceFile(
  file: string,
  content: readonly Buffer[],
  options: ReplaceOptions = {},
): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID()}.tmp`);
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await writeAll(handle, content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await options.beforeRename?.();
    await renameOver(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(path.dirname(file));
}
