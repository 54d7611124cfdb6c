import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { RETENTION_MS } from "../runs/retention.ts";

const NAME = "pi-foreman-agent-";

/** The end of what an agent complained of is enough to know why. */
const MAX_ERROR_BYTES = 4 * 1024;

/** Files that one child pi is started with: its prompts, and where its complaints go. */
export class WorkFolder {
  /** Under a name that says whose it is, and that nobody can know before. */
  readonly #folder = mkdtempSync(path.join(tmpdir(), `${NAME}${process.pid}-`));
  readonly promptFile = path.join(this.#folder, "prompt");
  readonly errorFile = path.join(this.#folder, "errors");
  /** Undefined: there is none. */
  readonly systemPromptFile: string | undefined;

  constructor(prompt: string, systemPrompt: string) {
    writeFileSync(this.promptFile, prompt, { mode: 0o600, flag: "wx" });
    if (systemPrompt === "") return;
    this.systemPromptFile = path.join(this.#folder, "system-prompt");
    writeFileSync(this.systemPromptFile, systemPrompt, { mode: 0o600, flag: "wx" });
  }

  /** The end of what was written to standard error. */
  errors(): string {
    try {
      const file = openSync(this.errorFile, "r");
      try {
        const { size } = fstatSync(file);
        const bytes = Buffer.alloc(Math.min(size, MAX_ERROR_BYTES));
        const count = readSync(file, bytes, 0, bytes.length, size - bytes.length);
        return bytes.toString("utf8", 0, count);
      } finally {
        closeSync(file);
      }
    } catch {
      return "";
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Removes what a pi that was killed has left: folders of this user that are a week old and whose pi is gone. A number that
 * was given to someone else keeps a folder until later. Never rejects.
 */
export async function removeOldWorkFolders(nowMs: number = Date.now()): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) {
    const pid = name.startsWith(NAME) ? /^(\d+)-/.exec(name.slice(NAME.length))?.[1] : undefined;
    if (pid === undefined || isThere(Number(pid))) continue;
    const folder = path.join(tmpdir(), name);
    try {
      const stats = await lstat(folder);
      const isOurs = stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid());
      if (isOurs && nowMs - stats.mtimeMs > RETENTION_MS) await rm(folder, { recursive: true });
    } catch {
      // Gone by itself, or not ours to remove.
    }
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
