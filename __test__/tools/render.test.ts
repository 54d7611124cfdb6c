import { expect, test } from "vitest";
import type { Theme } from "@earendil-works/pi-coding-agent";
import { renderNotification } from "../../src/tools/notification-render.ts";
import type { BashDetails } from "../../src/tools/bash/details.ts";
import { renderBashCall, renderBashResult } from "../../src/tools/bash/render.ts";
import { renderTaskStopCall, renderTaskStopResult } from "../../src/tools/task-stop/render.ts";
import { Rows } from "../../src/ui/rows.ts";
import { visibleWidth } from "../../src/ui/terminal-text.ts";

const theme = { fg: (_color: string, text: string) => text, bold: (text: string) => text } as unknown as Theme;

type Context = Parameters<typeof renderBashCall>[2];

/** What pi gives to renderers of a call that has ended. */
function context(change: Partial<Context> = {}): Context {
  return {
    state: {},
    lastComponent: undefined,
    executionStarted: true,
    isPartial: false,
    expanded: false,
    isError: false,
    durationMs: undefined,
    invalidate: () => undefined,
    keyHint: (_key: string, description: string) => `ctrl+o ${description}`,
    ...change,
  } as Context;
}

function drawCall(args: Parameters<typeof renderBashCall>[0], change?: Partial<Context>, width = 80): string[] {
  return [...renderBashCall(args, theme, context(change)).render(width)];
}

function drawResult(text: string, details: BashDetails = {}, change: Partial<Context> = {}, width = 80): string[] {
  const given = context(change);
  const options = { expanded: given.expanded, isPartial: given.isPartial };
  return [...renderBashResult({ content: [{ type: "text", text }], details }, options, theme, given).render(width)];
}

test.each([
  [{ command: "ls" }, "$ ls"],
  [{ command: "ls", timeout: 120_000 }, "$ ls (timeout 2m)"],
  [{ command: "ls", timeout: 1500 }, "$ ls (timeout 1.5s)"],
  [{ command: "ls", run_in_background: true, description: "List\nfiles" }, "$ ls (background) List files"],
  [{}, "$ ..."],
  [undefined, "$ ..."],
])("the call %j is shown in other words", (args, row) => {
  expect(drawCall(args)).toEqual([row]);
});

test("a command hides a part of itself from the person who allows it", () => {
  // approved-text-differs
  const [row] = drawCall({ command: "rm -rf ~ #\rls\x1b[2K\u202e" });
  expect(row).toBe("$ rm -rf ~ #␍ls␛[2K\ufffd");
});

test("a long script fills the screen, or cannot be read in full", () => {
  const command = Array.from({ length: 40 }, (_, index) => `echo ${index}`).join("\n");
  const rows = drawCall({ command });
  expect(rows).toHaveLength(9);
  expect(rows.at(-1)).toBe("... (32 more lines, ctrl+o to expand)");
  expect(drawCall({ command }, { expanded: true })).toHaveLength(40);
});

test("the end of the output or its reason is out of sight", () => {
  const text = `${Array.from({ length: 30 }, (_, index) => index + 1).join("\n")}\nExit code 4`;
  expect(drawResult(text, { exitCode: 4, durationMs: 1500 })).toEqual([
    "",
    "... (26 earlier lines, ctrl+o to expand)",
    "27",
    "28",
    "29",
    "30",
    "Exit code 4",
    "",
    "Took 1s",
  ]);
  expect(drawResult(text, {}, { expanded: true })).toContain("1");
});

test("a running command shows no time or amount", () => {
  const state = { startedAtMs: Date.now() - 65_000 };
  const rows = drawResult("part", { live: { totalLines: 3, totalBytes: 2048 } }, { isPartial: true, state });
  clearInterval((state as { ticking?: NodeJS.Timeout }).ticking);
  expect(rows.at(-1)).toBe("Elapsed 1m 5s · 3 lines, 2 KB");
});

test("the timer of a row goes on after its end", () => {
  const state: Context["state"] = {};
  drawResult("", {}, { isPartial: true, state });
  expect(state.ticking).toBeDefined();
  drawResult("done", {}, { isPartial: false, state });
  expect(state.ticking).toBeUndefined();
});

test("a row is wider than the terminal, or obeys what a command printed", () => {
  const hostile = "wide 你好 👩‍👩‍👧‍👦 e\u0301\t\x1b[2J\x1b]0;title\x07\x1b[31mred\u009b1m\0 long ".repeat(20);
  const details = { durationMs: 5, shell: "/opt/你好/sh\x1b[2J", fullOutputPath: "/tmp/x", exitCode: 0 };
  const task = { id: "labcdefgh", outputPath: "/x", status: "failed" as const, exitCode: 3, command: hostile };
  for (const width of [1, 2, 3, 10, 33, 80, 200]) {
    const rows = [
      ...drawCall({ command: hostile, description: hostile, timeout: 5 }, {}, width),
      ...drawResult(hostile, details, {}, width),
      ...renderTaskStopCall({ task_id: hostile }, theme, context()).render(width),
      ...renderTaskStopResult({ content: [], details: { message: hostile, task_id: "" } }, theme, context()).render(
        width,
      ),
      ...(renderNotification({ tasks: [task] }, theme, 1)?.render(width) ?? []),
    ];
    for (const row of rows) {
      // A character of two columns cannot be narrower than it is.
      expect(visibleWidth(row)).toBeLessThanOrEqual(Math.max(2, width));
      // Nothing but the theme\'s own styles may control the terminal.
      expect(row).not.toMatch(
        /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]|\u001b[^[]|\u001b\[[^m]*[A-Za-ln-z]/,
      );
    }
  }
});

test("a broken or foreign message breaks the screen", () => {
  expect(renderNotification(undefined, theme, 1)).toBeUndefined();
  expect(renderNotification({}, theme, 1)).toBeUndefined();
});

test.each([
  [[null]],
  [["labcdefgh"]],
  [[{ id: "labcdefgh", command: "ls", status: "running" }]],
  [[{ id: "labcdefgh", command: "ls", status: "toString" }]],
  [[{ id: "labcdefgh", status: "completed" }]],
  [[{ id: "labcdefgh", command: "ls", status: "completed", captureError: null }]],
])("a message under our name with the tasks %j ends pi when it is drawn", (tasks) => {
  expect(renderNotification({ tasks } as never, theme, 1)).toBeUndefined();
});

test("a drawing that fails ends pi", () => {
  const rows = new Rows(() => {
    throw new Error("no such colour");
  });
  expect(rows.render(80)).toEqual([]);
});
