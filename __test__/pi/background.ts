// Words that the tests of background tasks in a real pi share.
import { open } from "node:fs/promises";
import { constants, existsSync } from "node:fs";
import { FAILURE_BOUND_MS, lookUntil, type PiRpc } from "./harness/index.ts";
import type { PiUnderTest } from "./harness/pi-under-test.ts";
import type { ToolCall } from "./harness/turn.ts";

/** The entry file under test. */
export const BASH_EXTENSION = "dist/bash.js";

const STARTED = /Command running in background with ID: (l[a-z0-9]{8})\. Output is being written to: (\S.*)/;

export interface StartedTask {
  id: string;
  outputPath: string;
  command: string;
}

export const foreground = (command: string, args: object = {}): ToolCall => ({
  tool: "bash",
  args: { command, ...args },
});

export const background = (command: string, args: object = {}): ToolCall =>
  foreground(command, { run_in_background: true, ...args });

export const taskStop = (taskId: string): ToolCall => ({ tool: "TaskStop", args: { task_id: taskId } });

/** The background tasks that the model has been told of, oldest first. */
export function startedTasks(pi: PiUnderTest): StartedTask[] {
  return pi.toolResults().flatMap(({ text, args }) => {
    const [, id, outputPath] = STARTED.exec(text) ?? [];
    const { command = "" } = (args ?? {}) as { command?: string };
    return id === undefined || outputPath === undefined ? [] : [{ id, outputPath, command }];
  });
}

/** A command that waits until `release` is called with the same name, then prints what it was given. */
export const untilReleased = (name: string): string => `mkfifo ${name}; read -r line < ${name}; echo "$line"`;

export async function release(pi: PiUnderTest, name: string, line = "released"): Promise<void> {
  const file = pi.home.resolve(name);
  if ((await lookUntil(() => (existsSync(file) ? true : undefined), FAILURE_BOUND_MS)) === undefined) {
    throw new Error(`${name} never appeared`);
  }
  // Not created here; waits until the command has opened it.
  const pipe = await open(file, constants.O_WRONLY);
  await pipe.writeFile(`${line}\n`);
  await pipe.close();
}

/** The next toast that a person gets with these words in it. */
export async function toast(pi: PiRpc, words: string): Promise<void> {
  await pi.waitFor("extension_ui_request", (event) => event.method === "notify" && event.message.includes(words));
}
