import { expect, test, vi } from "vitest";
import { createTaskView, type ViewContext } from "../../src/ui/task-view.ts";
import { EMPTY_LIST } from "../../src/tasks/task.ts";
import { createDesk, create, openOwn } from "../tasks/session-double.ts";
import { temporaryFolder } from "../tasks/temporary-folder.ts";
import { changed, listOf } from "../tasks/list-builder.ts";

/** A screen that writes down what it is told. */
function createScreen(): { told: unknown[][]; context: ViewContext } {
  const told: unknown[][] = [];
  const context = {
    mode: "rpc",
    ui: {
      setWidget: (...args: unknown[]) => void told.push(["widget", args[1]]),
      setStatus: (...args: unknown[]) => void told.push(["pill", args[1]]),
    },
  };
  return { told, context };
}

test("a session that was replaced makes a tool fail because of the screen", () => {
  const view = createTaskView(() => {
    throw new Error("This extension ctx is stale");
  });
  view.show(listOf("a"));
  view.settle();
  const { context } = createScreen();
  context.ui.setWidget = () => {
    throw new Error("stale");
  };
  createTaskView(() => context).show(listOf("a"));
});

test("a change that cannot be seen is drawn again, or one that can is not", () => {
  const { told, context } = createScreen();
  const view = createTaskView(() => context);
  const list = listOf("a", "b");
  view.show(EMPTY_LIST);
  view.show(list);
  view.show(changed(list, "1", { description: "not shown" }));
  view.show(changed(list, "1", { subject: "c" }));
  expect(told.map(([what]) => what)).toEqual(["pill", "widget", "widget"]);
});

// faults: widget-never-clears
test("a list with nothing left to do keeps its height, or stays small when there is more", () => {
  const { told, context } = createScreen();
  const view = createTaskView(() => context);
  const done = changed(listOf("a"), "1", { status: "completed" });
  view.show(done);
  view.settle();
  view.settle();
  view.show(changed(done, "1", { status: "pending" }));
  view.show(EMPTY_LIST);
  expect(
    told.filter(([what]) => what === "widget").map(([, lines]) => (lines as string[] | undefined)?.length),
  ).toEqual([2, 1, 2, undefined]);
  expect(told.at(-2)).toEqual(["pill", undefined]);
});

// faults: polling-cost, counter-stuck
test("a timer runs while nothing changes", async () => {
  const { context } = createScreen();
  const view = createTaskView(() => context);
  const desk = createDesk(temporaryFolder());
  desk.context.onChange = (list) => {
    view.show(list);
  };
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "setImmediate"] });
  try {
    await create(await openOwn(desk), "a");
    view.settle();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
