// The bash that commands of the tests run in.
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import type { Addon, Shell } from "../../src/native.ts";

/** The one of the system, or that of Git for Windows. */
export function bashOf(addon: Addon): Shell {
  if (process.platform !== "win32") return { path: "/bin/bash", kind: "bash" };
  const { shell, warnings } = addon.chooseShell({ cwd: tmpdir() });
  if (shell?.kind !== "bash") throw new Error(`Git Bash was not found: ${warnings.join(" ")}`);
  return shell;
}

/** The runtime asks each process for its line, and one that has stuck while it ended never answers. */
const MAX_LOOK_MS = 60_000;

/** Command lines with this word in them. Git Bash keeps a `/proc` of what runs on its runtime: its shells and tools. */
export function commandLinesInGitBash(bashPath: string, word: string): string[] {
  // The word is not on the command line of the one who looks.
  const look = 'for each in /proc/[0-9]*/cmdline; do tr "\\0" " " <"$each"; echo; done 2>/dev/null; true';
  const lines = execFileSync(bashPath, ["-c", look], { encoding: "utf8", timeout: MAX_LOOK_MS }).split("\n");
  return lines.filter((line) => line.includes(word));
}
