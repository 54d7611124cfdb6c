import type { Config } from "../../config.ts";
import { formatDuration } from "../../format/duration.ts";
import type { Shell } from "../../native.ts";

/** What the description depends on. */
export interface BashTextFacts {
  config: Pick<
    Config,
    "toolName" | "defaultTimeoutMs" | "maxTimeoutMs" | "maxOutputChars" | "backgroundEnabled" | "onTimeout" | "notify"
  >;
  /** Undefined: none was found. */
  shell: Shell | undefined;
  /** False: a person has kept it from the model. */
  hasTaskStop?: boolean;
}

/** What the model reads about the tool. */
export function bashDescription({ config, shell, hasTaskStop = true }: BashTextFacts): string {
  const shellName = shell === undefined || shell.kind === "bash" ? "bash" : shell.path;
  const timeout = `${config.defaultTimeoutMs} ms (${formatDuration(config.defaultTimeoutMs)})`;
  const lines = [
    `Runs a command in ${shellName}, in the current working directory, and returns what it printed and its exit code if that is not 0.`,
    "",
    "- Each call is a new shell: cd, variables and functions do not carry over to the next one. Use absolute paths, or cd within the command.",
    "- There is no terminal and no input: stdin is empty, and prompts, editors and pagers fail instead of waiting. Pass flags such as --yes, or -m for a commit message.",
    `- After the timeout (${timeout} by default, at most ${config.maxTimeoutMs} ms) ${timeoutPolicy(config)}`,
    `- Output over ${config.maxOutputChars} characters is cut in the middle; the result names the file that holds all of it. Read that file, or search it, rather than running the command again.`,
    ...backgroundLines(config, hasTaskStop),
    "- Calls in one turn run in parallel. Chain commands that depend on each other with && in one call.",
  ];
  if (shell !== undefined && shell.kind !== "bash") {
    lines.push(`- ${shellName} is not bash: write for it${shell.kind === "sh" ? " (no [[ ]], arrays or <( ))" : ""}.`);
  }
  return lines.join("\n");
}

function timeoutPolicy(config: BashTextFacts["config"]): string {
  return config.onTimeout === "background" && config.backgroundEnabled
    ? "the command moves to the background and the result says so (a command that starts with sleep is stopped)."
    : "the command and everything it started is stopped.";
}

function backgroundLines({ backgroundEnabled, notify }: BashTextFacts["config"], hasTaskStop: boolean): string[] {
  if (!backgroundEnabled) {
    const stop = hasTaskStop ? "; the result names the ID that TaskStop takes" : "";
    return [`- Processes left running with & keep running until the session ends${stop}.`];
  }
  return [
    "- run_in_background returns at once with a task ID and the path of the output file, which grows while the task runs; read it to see how far it is. No timeout applies." +
      (notify ? " You are told when the task ends, so do not wait for it with sleep." : ""),
    (hasTaskStop
      ? "- TaskStop ends a background task and everything it started. Tasks are also ended when the session quits."
      : "- Background tasks are ended when the session quits.") + " Processes left running with & become such a task.",
  ];
}

/** One line for the system prompt. */
export function bashSnippet({ config }: BashTextFacts): string {
  return config.backgroundEnabled
    ? "Run shell commands, in the foreground or in the background"
    : "Run shell commands and wait for their end";
}

/** Rules for the system prompt, under the name that the tool goes by. */
export function bashGuidelines({ config }: BashTextFacts): string[] {
  return [
    ...(config.backgroundEnabled
      ? [
          `Use ${config.toolName} with run_in_background for servers, watchers and anything that outlasts its timeout; do not append & for that.`,
        ]
      : []),
    "You can inspect PI_* environment variables for current model and session details.",
  ];
}
