import { expect, onTestFinished, test } from "vitest";
import { listRunningCommands, offerRunningCommands } from "../../src/ui/running-commands.ts";
import { tasksReport } from "../../src/ui/tasks-report.ts";
import { EMPTY_LIST } from "../../src/tasks/task.ts";
import { changed, listOf } from "../tasks/list-builder.ts";

test("/tasks leaves out a description, a label, a hidden task, or what runs", () => {
  let list = changed(listOf("a", "b"), "1", { activeForm: "Doing a", description: "one\n\n\u001b[31mtwo\r\nthree" });
  list = changed(list, "2", { metadata: { _internal: true }, addBlockedBy: ["1"] });
  const commands = [{ id: "b1", command: "npm\nrun dev", startedAtMs: 1_000 }];
  expect(tasksReport(list, commands, 63_400)).toBe(
    [
      "Tasks  1 pending · 0 in progress · 0 done",
      "#1 [pending] a",
      "    Doing a",
      "    one",
      "    two",
      "    three",
      "#2 [pending] b [blocked by #1] [internal]",
      "",
      "Running in the background",
      "b1 62 s npm run dev",
    ].join("\n"),
  );
});

test("/tasks has nothing to say when there is nothing", () => {
  expect(tasksReport(EMPTY_LIST, undefined)).toBe("No tasks");
  expect(tasksReport(EMPTY_LIST, [])).toBe("No tasks\n\nNo commands running in the background");
});

test("the part that runs commands makes /tasks fail", () => {
  onTestFinished(() => {
    offerRunningCommands(undefined);
  });
  expect(listRunningCommands()).toBeUndefined();
  offerRunningCommands(() => [{ id: "x", command: "y", startedAtMs: 0 }]);
  expect(listRunningCommands()).toHaveLength(1);
  offerRunningCommands(() => {
    throw new Error("addon missing");
  });
  expect(listRunningCommands()).toBeUndefined();
});
