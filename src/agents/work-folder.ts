import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The end of what an agent complained of is enough to know why. */
const MAX_ERROR_BYTES = 4 * 1024;

/** Files that one child pi is started with: its prompts, and where its complaints go. */
export class WorkFolder {
  /** Under a name that nobody can know before. */
  readonly #folder = mkdtempSync(path.join(tmpdir(), "pi-foreman-agent-"));
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
