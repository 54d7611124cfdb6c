// The end of the time of a call: what is said, what is left, and what a moved command goes on to do.
import { describe, expect, test } from "vitest";
import { FAILURE_BOUND_MS, lookUntil } from "./harness/bound.ts";
import { canSeeProcesses, processesWithArgument, waitForNone } from "./harness/processes.ts";
import { bash, playCalls, taskStop } from "./played-calls.ts";

/** Arguments that no other process of this machine has. */
const seconds = (name: number) => `${name}.${process.pid}`;

describe("a command that is stopped", () => {
  const { result } = playCalls([
    {
      tree: bash(`echo up; sleep ${seconds(5331)} & sleep ${seconds(5332)}`, { timeout: 1000 }),
      pipe: bash(`sleep ${seconds(5333)} | cat`, { timeout: 1000 }),
      ignoring: bash(`trap '' TERM; echo up; sleep ${seconds(5334)}; sleep ${seconds(5335)}`, { timeout: 1000 }),
      escaped: bash(
        `setsid sh -c 'while :; do echo x; sleep .05; done' escaped ${seconds(5336)} & sleep ${seconds(5337)}`,
        { timeout: 1000 },
      ),
      loop: bash(`for i in 1 2 3; do sleep ${seconds(5338)}; done; touch went-on`, { timeout: 1000 }),
    },
    { files: bash("ls -A") },
  ]);

  test.runIf(canSeeProcesses).each(["5331", "5332", "5333", "5334", "5335", "5336", "5337", "5338"])(
    // faults: timeout-kills-shell-only, setsid-escapes-killpg-and-hangs, stop-does-not-stop-loop
    "leaves nothing of its own running (%s)",
    async (name) => {
      expect(await waitForNone(() => processesWithArgument(seconds(Number(name))), 5_000)).toEqual([]);
    },
  );

  test("says that it timed out, after what it printed, also when it ignores the polite signal", () => {
    expect(result("tree")).toMatchObject({ text: "up\nCommand timed out after 1s", isError: true });
    expect(result("ignoring")).toMatchObject({ text: "up\nCommand timed out after 1s", isError: true });
    expect(result("pipe").text).toBe("Command timed out after 1s");
    expect(result("escaped").text).toMatch(/^(x\n)+Command timed out after 1s$/);
    for (const name of ["tree", "ignoring", "pipe", "escaped"]) {
      expect(result(name).details).toMatchObject({ timedOut: true, timeoutMs: 1000 });
      expect(result(name).details).not.toHaveProperty("backgroundTaskId");
    }
  });

  test("does not go on to its next line", () => {
    expect(result("files").text).toBe("(no output)");
  });
});

/** Prints once, and again when the file is there. */
const inTwoParts = (file: string, rest = "") =>
  `for i in 1 2 3; do echo before$i; echo warn$i >&2; done; until [ -e ${file} ]; do sleep .05; done; ` +
  `for i in 4 5 6; do echo after$i; done${rest}`;

const MOVED =
  /\nCommand timed out after 0s and was moved to the background with ID: (l[a-z0-9]{8})\. Output is being written to: (\S+)\n/;

describe.each([
  ["PICC_BASH_ON_TIMEOUT=background", { env: { PICC_BASH_ON_TIMEOUT: "background" } }],
  [
    "onTimeout in config.json",
    { files: { "~/.pi/agent/extensions/picc-bash/config.json": '{ "onTimeout": "background" }' } },
  ],
])("with %s", (_setting, options) => {
  const played = playCalls(
    [
      {
        moved: bash(inTwoParts("go-on"), { timeout: 800 }),
        sleeping: bash("  sleep 60", { timeout: 300 }),
        quick: bash("echo in time", { timeout: 20_000 }),
        silent: bash(": && sleep 60", { timeout: 300 }),
      },
      (so) => ({ stop: taskStop({ task_id: so.taskId("silent") }), goOn: bash("touch go-on") }),
    ],
    options,
  );
  const { result, taskId } = played;

  test("the command moves to the background and the result says so, with its ID, its file and the output so far", () => {
    const { text, details } = result("moved");
    expect(text).toMatch(/^before1\nbefore2\nbefore3\nwarn1\nwarn2\nwarn3\n/);
    const [, id, file] = MOVED.exec(text) ?? [];
    expect(details).toMatchObject({ timedOut: true, timeoutMs: 800, backgroundTaskId: id, fullOutputPath: file });
    // faults: timeout-turns-into-background
    expect(text).toMatch(/still running.*TaskStop/);
  });

  test("nothing of its output is lost or doubled by the move", async () => {
    const file = result("moved").details["fullOutputPath"] as string;
    const lines = () => played.pi.home.read(file).trim().split("\n").sort();
    expect(await lookUntil(() => (lines().length >= 9 ? true : undefined), FAILURE_BOUND_MS)).toBe(true);
    expect(lines()).toEqual(["after4", "after5", "after6", "before1", "before2", "before3", "warn1", "warn2", "warn3"]);
  });

  test("its end is told like that of any task", async () => {
    const told = () => played.pi.taskNotifications().filter(({ text }) => text.includes(taskId("moved")));
    expect(await lookUntil(() => (told().length > 0 ? true : undefined), FAILURE_BOUND_MS)).toBe(true);
    expect(told()[0]?.text).toContain("<status>completed</status><exit-code>0</exit-code>");
    expect(told()).toHaveLength(1);
  });

  test("one that printed nothing says so, and TaskStop stops it", () => {
    expect(result("silent").text).toMatch(/^\(no output so far\)\nCommand timed out after 0s and was moved/);
    expect(result("stop").text).toContain("Successfully stopped task");
  });

  test("a sleep is stopped instead, and a quick command is not touched", () => {
    expect(result("sleeping")).toMatchObject({ text: "Command timed out after 0s", isError: true });
    expect(result("sleeping").details).not.toHaveProperty("backgroundTaskId");
    expect(result("quick")).toMatchObject({ text: "in time", isError: false });
  });
});

describe("with PICC_BASH_ON_TIMEOUT=background and background tasks disabled", () => {
  const { result } = playCalls([{ late: bash("echo a; while :; do sleep .1; done", { timeout: 500 }) }], {
    env: { PICC_BASH_ON_TIMEOUT: "background", CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "true" },
  });

  test("the command is stopped", () => {
    expect(result("late")).toMatchObject({ text: "a\nCommand timed out after 0s", isError: true });
  });
});
