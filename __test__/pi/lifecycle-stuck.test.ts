// pi that does not run for a while: suspended by the person, or with an event loop that is blocked.
import { readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { background, BASH_EXTENSION, startedTasks, toast } from "./background.ts";
import { canSeeProcesses, FAILURE_BOUND_MS, lookUntil, startPiRpc } from "./harness/index.ts";

/** Prints a line every 20 ms until there is a file `stop`. Forks nothing: the pipe that nobody writes to is its clock. */
const TICKER = `mkfifo clock; exec 3<> clock
  until [ -e stop ]; do echo tick; read -r -t 0.02 <&3; done
  echo "last words"`;

/** \`/block\` stops the event loop until there is a file of this name. */
const BLOCKER = `import { existsSync } from "node:fs";
export default (pi) => pi.registerCommand("block", { description: "block", handler: async (_args, ctx) => {
  ctx.ui.notify("blocking", "info");
  await new Promise((resolve) => setTimeout(resolve, 1));
  const end = Date.now() + ${FAILURE_BOUND_MS};
  while (!existsSync("unblock") && Date.now() < end) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  ctx.ui.notify("unblocked", "info");
}});`;

async function waitForGrowth(file: string): Promise<boolean> {
  const before = statSync(file).size;
  const wanted = before + 25 * "tick\n".length;
  return (await lookUntil(() => (statSync(file).size >= wanted ? true : undefined), FAILURE_BOUND_MS)) === true;
}

function stateOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
}

test.runIf(canSeeProcesses)("output or the end of a task is lost while pi is suspended or blocked", async () => {
  const pi = await startPiRpc({
    script: [background(TICKER)],
    afterScript: { text: "ok" },
    extensions: [BASH_EXTENSION],
    files: { "blocker.mjs": BLOCKER },
    args: ["-e", "./blocker.mjs"],
  });
  await pi.run("go");
  const [task] = startedTasks(pi);
  if (task === undefined) throw new Error("no task was started");

  // Answered when the command is over.
  const unblocked = pi.prompt("/block");
  await toast(pi, "blocking");
  expect(await waitForGrowth(task.outputPath)).toBe(true);
  expect(pi.eventsOf("extension_ui_request").filter((event) => JSON.stringify(event).includes("unblocked"))).toEqual(
    [],
  );
  pi.home.write("unblock", "");
  await toast(pi, "unblocked");
  await unblocked;

  pi.signal("SIGSTOP");
  try {
    expect(await lookUntil(() => (stateOf(pi.pid) === "T" ? true : undefined), FAILURE_BOUND_MS)).toBe(true);
    expect(await waitForGrowth(task.outputPath)).toBe(true);
    // Its end comes while nobody can hear it, too.
    pi.home.write("stop", "");
    const isOver = () => (readFileSync(task.outputPath, "utf8").endsWith("last words\n") ? true : undefined);
    expect(await lookUntil(isOver, FAILURE_BOUND_MS)).toBe(true);
    expect(await pi.waitForNoProcess(FAILURE_BOUND_MS)).toEqual([]);
    expect(stateOf(pi.pid)).toBe("T");
  } finally {
    pi.signal("SIGCONT");
  }
  await pi.settled();
  expect(pi.taskNotifications().map(({ text }) => text)).toEqual([
    expect.stringContaining(`<task-id>${task.id}</task-id>`),
  ]);
  expect(readFileSync(task.outputPath, "utf8")).toMatch(/^(tick\n){50,}last words\n$/);
});
