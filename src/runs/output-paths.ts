import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Addon } from "../native.ts";

/** Names stay readable, and leave room for what is put after them. */
const MAX_PART_CHARS = 64;

/** Folder that holds the output of all sessions of this user. Absolute, whatever TMPDIR says: a model reads from anywhere. */
export function outputBase(): string {
  return withSlashes(path.resolve(tmpdir(), "picc-bash"));
}

/** That folder, and the one that the core takes when it belongs to somebody else. */
export function outputBases(addon: Pick<Addon, "outputBases">): string[] {
  return addon.outputBases(outputBase());
}

/** A model puts paths into commands; a backslash means something else to the shell. Windows takes either. */
export function withSlashes(file: string, separator: string = path.sep): string {
  return separator === "\\" ? file.replaceAll("\\", "/") : file;
}

/** Folders below the base for one session's runs; the file in them is `<id>.output`. */
export function outputFolders(sessionId: string): string[] {
  return [safePart(sessionId), "tasks"];
}

/** Where the output of a run is to be; the core may have to take another base and says so when the run has started. */
export function expectedOutputPath(sessionId: string, runId: string): string {
  return [outputBase(), ...outputFolders(sessionId), `${runId}.output`].join("/");
}

/**
 * A name from elsewhere as one part of a path: letters, digits, `-` and `_`. Two different names never become the same
 * part: one that had to be changed carries a hash of itself.
 */
export function safePart(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_PART_CHARS - 10);
  if (safe === name && name !== "") return name;
  return `${safe}-${createHash("sha256").update(name).digest("hex").slice(0, 9)}`;
}
