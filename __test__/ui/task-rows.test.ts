import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { cutToCells, plainLine } from "../../src/ui/cells.ts";
import { taskRows } from "../../src/ui/task-rows.ts";
import { EMPTY_LIST } from "../../src/tasks/task.ts";
import { changed, listOf } from "../tasks/list-builder.ts";

const texts = (...args: Parameters<typeof taskRows>): string[] => taskRows(...args).map((row) => row.text);

test("a widget is shown without a visible task", () => {
  expect(texts(EMPTY_LIST, 10, false)).toEqual([]);
  expect(texts(changed(listOf("a"), "1", { metadata: { _internal: true } }), 10, false)).toEqual([]);
});

test("a task that fits is left out, or one too many is drawn", () => {
  const list = listOf("a", "b", "c");
  expect(texts(list, 4, false)).toHaveLength(4);
  expect(texts(list, 3, false)).toEqual(["Tasks  3 pending · 0 in progress · 0 done", "▫ #1 [pending] a", "+2 more"]);
  expect(texts(list, 1, false)).toEqual(["Tasks  3 pending · 0 in progress · 0 done", "+3 more"]);
  expect(texts(list, 10, true)).toHaveLength(1);
});

test("what is in progress is cut off in favour of what is not", () => {
  let list = listOf("a", "b", "c", "d");
  list = changed(list, "1", { status: "completed" });
  list = changed(list, "4", { status: "in_progress", owner: "ann", addBlockedBy: ["1", "3"] });
  expect(texts(list, 4, false).slice(1)).toEqual([
    "▪ #4 [in_progress] d (ann) [blocked by #3]",
    "▫ #2 [pending] b",
    "+2 more",
  ]);
});

// faults: cycle-or-self-edge
test("a cycle never ends in the widget", () => {
  const list = changed(listOf("a", "b"), "1", { addBlocks: ["2"], addBlockedBy: ["2"] });
  expect(texts(list, 10, false).slice(1)).toEqual([
    "▫ #1 [pending] a [blocked by #2]",
    "▫ #2 [pending] b [blocked by #1]",
  ]);
});

test("a long subject or owner is looked through at each drawing", () => {
  const long = "x".repeat(1_000_000);
  const [row = ""] = texts(changed(listOf(long), "1", { owner: long }), 10, false).slice(1);
  expect(row.length).toBeLessThan(3_000);
});

test("a subject moves the cursor, colours the screen, sets the title, or turns the line around", () => {
  expect(plainLine("a\u001b[31mb\u001b]0;t\u0007c\u202ed\r\ne\u0000f\u009bg\u2028h")).toBe("abcd e f g h");
  expect(plainLine("\u001b[2J\u001b[H")).toBe("");
  expect(plainLine("👩‍👩‍👧 é 你好")).toBe("👩‍👩‍👧 é 你好");
});

test("a text of unfinished terminal sequences blocks the host", () => {
  const startedAt = performance.now();
  for (const start of ["\u001b]", "\u001b[1;", "\u001b_", "\u001b", "a\u001b]8;;"]) plainLine(start.repeat(50_000));
  // Linear work takes some milliseconds each; quadratic work takes two minutes.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test("a wide character is cut in half, or reaches over the edge", () => {
  for (const width of [1, 2, 3, 7, 30]) {
    const cut = cutToCells("你好👩‍👩‍👧 and a long tail of text that does not fit", width);
    expect(visibleWidth(cut)).toBeLessThanOrEqual(width);
    expect(cut.replace("\u001b[0m", "")).not.toContain("\uFFFD");
  }
});
