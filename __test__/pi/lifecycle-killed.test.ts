// Tasks that somebody else ends, and processes that a command leaves behind: their state is told as it is.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { background, BASH_EXTENSION, foreground, startedTasks, taskStop } from "./background.ts";
import {
  canSeeProcesses,
  FAILURE_BOUND_MS,
  forceEnd,
  lookUntil,
  type PiRpc,
  processesWithArgument,
  startPiRpc,
  waitForNone,
} from "./harness/index.ts";

interface JournalEntry {
  run_id: string;
  supervisor: { pid: number };
  shell: { pid: number };
}

function journalOf(pi: PiRpc, id: string): JournalEntry {
  const folder = path.join(pi.home.tmp, "picc-bash", "journal");
  const entries = readdirSync(folder).map(
    (name) => JSON.parse(readFileSync(path.join(folder, name), "utf8")) as JournalEntry,
  );
  const entry = entries.find(({ run_id: runId }) => runId === id);
  if (entry === undefined) throw new Error(`no entry of ${id} among ${JSON.stringify(entries)}`);
  return entry;
}

const options = { afterScript: { text: "ok" }, extensions: [BASH_EXTENSION] };

describe.runIf(canSeeProcesses)("a task stays running for ever, or ends as something else,", () => {
  // dead-task-still-running
  test("when its shell or its supervisor is killed from outside", async () => {
    const seconds = `6451.${process.pid}`;
    const sleepers = () => processesWithArgument(seconds);
    const script = ["shell", "supervisor"].map((description) => background(`sleep ${seconds}; :`, { description }));
    const pi = await startPiRpc({ script, ...options });
    await pi.run("go");
    expect(await lookUntil(() => (sleepers().length === 2 ? true : undefined), FAILURE_BOUND_MS)).toBe(true);
    const [first, second] = startedTasks(pi);

    process.kill(journalOf(pi, first?.id ?? "").shell.pid, "SIGKILL");
    await pi.settled();
    // The shell has ended, what it had started has not: the model is told that, and can stop it.
    const notice = pi.taskNotifications().at(-1)?.text;
    expect(notice).toContain("<status>killed</status><exit-code>137</exit-code>");
    expect(notice).toContain("still running (TaskStop with this ID stops them)");
    pi.model.push([taskStop(first?.id ?? "")]);
    await pi.run("stop it");
    expect(pi.toolResults().at(-1)?.text).toContain("Successfully stopped task");
    expect(sleepers()).toHaveLength(1);

    process.kill(journalOf(pi, second?.id ?? "").supervisor.pid, "SIGKILL");
    await pi.settled();
    const lost = pi.taskNotifications().at(-1)?.text;
    expect(lost).toContain(`<task-id>${second?.id ?? "?"}</task-id>`);
    expect(lost).toContain("<status>failed</status>");
    expect(await waitForNone(sleepers, FAILURE_BOUND_MS)).toEqual([]);
  });

  // esc-kills-background, ampersand-jobs-leak, group-leader-gone
  test("when a command is aborted, has left it behind, or pi ends", async () => {
    const seconds = `6452.${process.pid}`;
    const sleepers = () => processesWithArgument(seconds);
    const pi = await startPiRpc({
      script: [
        background(`exec sleep ${seconds}`),
        foreground(`sleep ${seconds} & echo answered`),
        foreground("echo ready; sleep 600"),
      ],
      ...options,
    });
    await pi.prompt("go");
    await pi.waitFor("tool_execution_update", (event) => JSON.stringify(event).includes("ready"));
    await pi.abort();
    expect(await pi.settled()).toMatchObject({ aborted: true });
    expect(sleepers()).toHaveLength(2);
    const [task, left] = pi.toolResults();
    const leftId = /^answered\nProcesses started by this command are still running with ID: (l\w{8})\./.exec(
      left?.text ?? "",
    )?.[1];
    pi.model.push([taskStop("lnosuchid")]);
    await pi.run("list");
    expect(pi.toolResults().at(-1)?.details).toMatchObject({
      running: [{ task_id: startedTasks(pi)[0]?.id }, { task_id: leftId }],
    });
    expect(task?.isError).toBe(false);
    pi.closeInput();
    expect(await pi.exited()).toEqual({ code: 0, signal: null });
    const survivors = sleepers();
    survivors.forEach(forceEnd);
    expect(survivors).toEqual([]);
  });
});
