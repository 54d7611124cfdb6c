// A real pi on Windows: what its commands have started is gone, though in Git Bash a child rarely has its parent for long.
import { describe, expect, test } from "vitest";
import { bashOf, commandLinesInGitBash } from "../native/bash.ts";
import { loadNative } from "../../src/native.ts";
import { background, BASH_EXTENSION, foreground, startedTasks, taskStop } from "./background.ts";
import { FAILURE_BOUND_MS, lookUntil, type PiRpc, startPiRpc } from "./harness/index.ts";

/** A pipeline of three programs, and a process whose parent has ended; none of them ends by itself. */
const scattered = (seconds: string) =>
  `find /usr/bin -type f | xargs -r -n1 sh -c 'sleep ${seconds}' | head & (sleep ${seconds} &); wait`;

const startPi = (script: object[]): Promise<PiRpc> =>
  startPiRpc({ script, afterScript: { text: "ok" }, extensions: [BASH_EXTENSION] });

describe.runIf(process.platform === "win32")("in Git Bash", () => {
  const native = loadNative();
  if (!native.ok) throw new Error(native.message);
  const bash = bashOf(native.addon);
  const living = (seconds: string) => commandLinesInGitBash(bash.path, `sleep ${seconds}`);
  const sleepers = (seconds: string) => living(seconds).filter((line) => /^\S*sleep /.test(line));
  const bothSleep = async (seconds: string) => {
    expect(await lookUntil(() => (sleepers(seconds).length === 2 ? true : undefined), 2 * FAILURE_BOUND_MS)).toBe(true);
  };

  test("a command is run by another shell, or its output is changed", async () => {
    const pi = await startPi([foreground("echo ä | cat; [[ $BASH_VERSION ]] && uname -s; echo err >&2; exit 3")]);
    await pi.run("go");
    expect(pi.toolResults()[0]).toMatchObject({ isError: true });
    expect(pi.toolResults()[0]?.text).toMatch(/^ä\nM\S+_NT-\S+\nerr\nExit code 3$/);
  });

  // stop-does-not-stop-loop, group-leader-gone
  test("TaskStop leaves a part of a pipeline running", async () => {
    const seconds = `6701.${process.pid}`;
    const pi = await startPi([background(scattered(seconds))]);
    await pi.run("go");
    const [task] = startedTasks(pi);
    // prompt-cwd-backslash
    expect(task?.outputPath).toMatch(/^[A-Z]:\/[^\\]+\.output$/);
    await bothSleep(seconds);
    pi.model.push([taskStop(task?.id ?? "")]);
    await pi.run("stop it");
    expect(pi.toolResults().at(-1)?.text).toContain("Successfully stopped task");
    expect(living(seconds)).toEqual([]);
  });

  // timeout-kills-shell-only
  test("a timeout leaves a part of a pipeline running", async () => {
    const seconds = `6702.${process.pid}`;
    const pi = await startPi([foreground(scattered(seconds), { timeout: 20_000 })]);
    const answered = pi.run("go");
    await bothSleep(seconds);
    await answered;
    expect(pi.toolResults()[0]?.text).toContain("Command timed out after 20s");
    expect(living(seconds)).toEqual([]);
  });

  // orphaned-by-crash
  test("the end of a pi that was killed leaves a part of a pipeline running", async () => {
    const seconds = `6703.${process.pid}`;
    const pi = await startPi([background(scattered(seconds))]);
    await pi.run("go");
    await bothSleep(seconds);
    pi.signal("SIGKILL");
    await pi.exited();
    expect(await lookUntil(() => (living(seconds).length === 0 ? true : undefined), FAILURE_BOUND_MS)).toBe(true);
  });
});
