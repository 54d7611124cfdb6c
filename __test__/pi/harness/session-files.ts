// What pi stored on disk: the sessions of one home.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { FileEntry } from "@earendil-works/pi-coding-agent";

export interface StoredSession {
  file: string;
  /** In the order of the file; the first is the header. */
  entries: FileEntry[];
}

/** All session files below an agent folder, oldest first. A last line that is still being written is left out. */
export function readSessions(agentDir: string): StoredSession[] {
  const folder = path.join(agentDir, "sessions");
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, entries: readLines(file) }));
}

function readLines(file: string): FileEntry[] {
  const text = readFileSync(file, "utf8");
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as FileEntry);
}
