// pi -p with background tasks: it neither hangs nor forgets them.
import { describe, expect, test } from "vitest";
import { background, BASH_EXTENSION, foreground, startedTasks, untilReleased, release } from "./background.ts";
import { canSeeProcesses, startPiJson, startPiPrint } from "./harness/index.ts";

const extensions = [BASH_EXTENSION];

/** What an idle machine needs for the end of pi is far below, the hold far above. */
const LONG_HOLD_MS = 45_000;
const config = (settings: object) => ({
  "~/.pi/agent/extensions/picc-bash/config.json": JSON.stringify(settings),
});

describe("print mode", () => {
  // print-mode-never-exits
  test("hangs on a task, or ends it without a word", async () => {
    const pi = await startPiPrint({
      script: [background("exec sleep 600"), { text: "the answer" }],
      extensions,
    });
    expect(await pi.finished()).toEqual({ code: 0, signal: null });
    expect(pi.stdout).toBe("the answer\n");
    const [task] = startedTasks(pi);
    expect(pi.stderr).toBe(
      `pi-foreman: stopped background tasks that were still running: ${task?.id ?? "?"} (exec sleep 600)\n`,
    );
    if (canSeeProcesses) expect(await pi.waitForNoProcess(2_000)).toEqual([]);
  });

  test("ends what an ended task has left without a word", async () => {
    const pi = await startPiPrint({
      script: [background("sleep 600 & exit 0"), foreground("sleep .3"), { text: "the answer" }, { text: "I see" }],
      extensions,
    });
    await pi.finished();
    const [task] = startedTasks(pi);
    expect(pi.stderr).toBe(
      `pi-foreman: stopped background tasks that were still running: ${task?.id ?? "?"} (sleep 600 & exit 0)\n`,
    );
  });

  // host-term-orphans, host-hup-orphans
  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("waits the whole hold out after %s", async (signal, code) => {
    const pi = await startPiJson({
      script: [background("exec sleep 600"), { text: "the answer" }],
      extensions,
      files: config({ printModeWaitMs: LONG_HOLD_MS }),
    });
    await pi.waitFor("agent_end");
    pi.signal(signal);
    // Its failure bound is below the hold.
    expect(await pi.finished()).toEqual({ code, signal: null });
    if (canSeeProcesses) expect(await pi.waitForNoProcess(2_000)).toEqual([]);
  });

  test("waits for a task of whose end nobody will be told", async () => {
    const pi = await startPiPrint({
      script: [background("exec sleep 600"), { text: "the answer" }],
      extensions,
      env: { PICC_BASH_NOTIFY: "0" },
      files: config({ printModeWaitMs: LONG_HOLD_MS }),
    });
    expect(await pi.finished()).toEqual({ code: 0, signal: null });
    expect(pi.stderr).toContain("stopped background tasks");
  });

  test("waits although no task runs", async () => {
    const settings = config({ printModeWaitMs: LONG_HOLD_MS });
    const pi = await startPiPrint({ script: [foreground("echo hi"), { text: "done" }], extensions, files: settings });
    // Its failure bound is below the hold.
    expect(await pi.finished()).toEqual({ code: 0, signal: null });
    expect(pi.stderr).toBe("");
  });

  test("ends before the model has heard of a task that ends within the hold", async () => {
    const pi = await startPiPrint({
      script: [
        { calls: [background(untilReleased("first")), background(untilReleased("second"))] },
        async () => {
          await release(pi, "first");
          return { text: "too early" };
        },
        async () => {
          await release(pi, "second");
          return { text: "still too early" };
        },
        { text: "both have ended" },
      ],
      extensions,
      files: config({ printModeWaitMs: LONG_HOLD_MS }),
    });
    expect(await pi.finished()).toEqual({ code: 0, signal: null });
    expect(pi.stdout).toBe("both have ended\n");
    expect(pi.stderr).toBe("");
    const [first, second] = startedTasks(pi);
    const told = pi.taskNotifications().map(({ text }) => /<task-id>(\w+)/.exec(text)?.[1]);
    expect(told).toEqual([first?.id, second?.id]);
  });

  test("ends in the middle of a command that it waits for", async () => {
    const pi = await startPiJson({ script: [foreground("sleep 1.5; echo late"), { text: "done" }], extensions });
    expect(await pi.finished()).toEqual({ code: 0, signal: null });
    expect(pi.toolResults()).toMatchObject([{ text: "late", seenByModel: true }]);
  });
});
