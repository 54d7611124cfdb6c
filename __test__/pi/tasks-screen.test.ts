// What a person sees of the list.
import { describe, expect, test } from "vitest";
import { hasTmux, startPiPrint, startPiRpc, startPiTui, type PiTui, type Script } from "./harness/index.ts";
import { visibleWidth } from "@earendil-works/pi-tui";

const create = (subject: string, more: Record<string, unknown> = {}) => ({
  tool: "TaskCreate",
  args: { subject, description: `do ${subject}`, ...more },
});
const update = (taskId: string, more: Record<string, unknown>) => ({ tool: "TaskUpdate", args: { taskId, ...more } });

const NASTY = "\u001b[31mred\u001b]0;title\u0007 \u202eback\r\n tab\there 你好 👩‍👩‍👧 ";

/** 300 tasks with 500-character subjects, every tenth in progress from the hundredth on. */
const bigList = JSON.stringify({
  tasks: Array.from({ length: 300 }, (_, index) => ({
    id: String(index + 1),
    subject: `${NASTY}${"x".repeat(500 - NASTY.length)}`,
    description: `about ${index + 1}`,
    status: index >= 99 && index % 10 === 9 ? "in_progress" : "pending",
    blockedBy: index === 99 ? ["1"] : [],
  })),
  highWaterMark: 300,
  revision: 1,
});

async function startWithBigList(columns: number, script: Script = []): Promise<PiTui> {
  return startPiTui({
    extensions: ["dist/tasks.js"],
    script,
    columns,
    rows: 30,
    env: { PI_TASK_LIST_ID: "big" },
    files: { "~/.pi/tasks/big/tasks.json": bigList },
  });
}

describe.runIf(hasTmux)("in a terminal", () => {
  test.each([30, 80, 200])(
    "on %i columns a big list breaks the screen, or hides what is in progress",
    async (columns) => {
      const pi = await startWithBigList(columns);
      const screen = await pi.waitForText(/\+\d+ more/);
      const lines = screen.split("\n");
      const head = lines.findIndex((line) => line.startsWith(" Tasks  279 pending · "));
      const more = lines.findIndex((line) => /^ \+\d+ more/.test(line));
      expect(head).toBeGreaterThanOrEqual(0);
      expect(more - head).toBe(9);
      expect(lines.slice(head + 1, more).every((line) => /^ ▪ #\d+0 \[in_progress\]/.test(line))).toBe(true);
      expect(lines[more]).toContain("+292 more");
      expect(Math.max(...lines.map((line) => visibleWidth(line.trimEnd())))).toBeLessThanOrEqual(columns);
      expect(lines.slice(head, more).every((line) => visibleWidth(line.trimEnd()) >= Math.min(columns, 42) - 3)).toBe(
        true,
      );
      // The subject's own colours, title and direction marks are gone, its words are not.
      if (columns > 30)
        expect(lines[head + 1]).toContain("red back tab here 你好 👩‍👩‍👧 xxx".slice(0, columns > 80 ? 40 : 20));
      expect(screen).not.toContain("title");
      expect(screen).toMatch(/21 active \/ 0\/300 tasks/);
    },
  );

  test("/tasks on a big list breaks the screen", async () => {
    const pi = await startWithBigList(80);
    await pi.enter("/tasks");
    await pi.waitForText("about 300");
    const lines = pi.history().split("\n");
    expect(lines.findLastIndex((line) => line.startsWith(" #300 [in_progress]"))).toBeGreaterThan(0);
    expect(Math.max(...lines.map((line) => visibleWidth(line.trimEnd())))).toBeLessThanOrEqual(80);
  });

  // faults: counter-stuck, widget-never-clears (for tasks)
  test("the widget misses a change, does not shrink when all is done, or stays when nothing is left", async () => {
    const pi = await startPiTui({
      extensions: ["dist/tasks.js"],
      script: [
        create("First"),
        create("Second"),
        create("Secret", { metadata: { _internal: true } }),
        update("2", { status: "in_progress", owner: "ann", addBlockedBy: ["1"] }),
        { text: "turn one" },
        update("1", { status: "completed" }),
        update("2", { status: "completed" }),
        { text: "turn two" },
        create("Third"),
        { text: "turn three" },
        update("1", { status: "deleted" }),
        update("2", { status: "deleted" }),
        update("4", { status: "deleted" }),
        { text: "turn four" },
      ],
    });
    await pi.enter("one");
    const first = await pi.waitForText("turn one");
    expect(first).toMatch(
      /^ Tasks {2}1 pending · 1 in progress · 0 done *\n ▫ #1 \[pending\] First *\n ▪ #2 \[in_progress\] Second \(ann\) \[blocked by #1\]/m,
    );
    expect(first).toContain("1 active / 0/2 tasks");
    expect(first.split("\n").filter((line) => line.startsWith(" ▫") || line.startsWith(" ▪"))).toHaveLength(2);

    await pi.enter("two");
    await pi.waitForText("turn two");
    const second = await pi.waitForNoText(/^ ✓ #1/m);
    expect(second).toMatch(/^ Tasks {2}0 pending · 0 in progress · 2 done/m);
    expect(second).toMatch(/^ ?2\/2 tasks/m);

    await pi.enter("three");
    const third = await pi.waitForText("turn three");
    expect(third).toMatch(
      /^ ✓ #1 \[completed\] First *\n ✓ #2 \[completed\] Second \(ann\) *\n ▫ #4 \[pending\] Third/m,
    );

    await pi.enter("/tasks");
    const report = await pi.waitForText("[internal]");
    expect(report).toMatch(/#3 \[pending\] Secret \[internal\]\n +do Secret/);

    await pi.enter("four");
    await pi.waitForText("turn four");
    const last = await pi.waitForNoText(/^ Tasks {2}.*\n─/m);
    expect(last).not.toMatch(/^ [▫▪✓] #/m);
    expect(last).not.toMatch(/\d\/\d tasks/);
  });

  test("a reload or a new session leaves the widget of the old one", async () => {
    const pi = await startPiTui({ extensions: ["dist/tasks.js"], script: [create("First"), { text: "done" }] });
    await pi.enter("one");
    await pi.waitForText(/^ ▫ #1/m);
    await pi.waitForText("done");
    // pi refuses to reload while it works.
    await pi.waitForNoText("Working");
    await pi.enter("/reload");
    await pi.waitForText("Reloaded");
    await pi.waitForText(/^ ▫ #1.*\n─/m);
    await pi.enter("/new");
    await pi.waitForNoText(/^ ▫ #1/m);
    await pi.waitForNoText(/\d\/\d tasks/);
  });
});

test("a client that draws by itself is sent no widget, or keeps it when nothing is left", async () => {
  const script = [
    create("A"),
    update("1", { status: "in_progress" }),
    update("1", { status: "deleted" }),
    { text: "end" },
  ];
  const pi = await startPiRpc({ extensions: ["dist/tasks.js"], script });
  await pi.prompt("go");
  await pi.settled();
  const requests = pi.eventsOf("extension_ui_request").map((event) => {
    const request = event as { method: string; widgetLines?: string[]; statusText?: string };
    return [request.method, request.widgetLines ?? request.statusText];
  });
  expect(requests).toEqual([
    ["setStatus", "0/1 tasks"],
    ["setWidget", ["Tasks  1 pending · 0 in progress · 0 done", "▫ #1 [pending] A"]],
    ["setStatus", "1 active / 0/1 tasks"],
    ["setWidget", ["Tasks  0 pending · 1 in progress · 0 done", "▪ #1 [in_progress] A"]],
    ["setStatus", undefined],
    ["setWidget", undefined],
  ]);
});

test("a client that draws by itself keeps the widget of the session before", async () => {
  const pi = await startPiRpc({ extensions: ["dist/tasks.js"], script: [create("A"), { text: "end" }] });
  await pi.run("go");
  await pi.newSession();
  const last = (wanted: string) =>
    pi.eventsOf("extension_ui_request").findLast(({ method }) => method === wanted) as object | undefined;
  expect(last("setWidget")).not.toHaveProperty("widgetLines");
  expect(last("setStatus")).not.toHaveProperty("statusText");
});

test("what another process does to a shared list is not shown before this one uses the list", async () => {
  const pi = await startPiRpc({
    extensions: ["dist/tasks.js"],
    env: { PI_TASK_LIST_ID: "team" },
    script: [
      { tool: "bash", args: { command: "mv other.json ~/.pi/tasks/team/tasks.json" } },
      { text: "end" },
      { text: "nothing new" },
    ],
    files: {
      "~/.pi/tasks/team/tasks.json": '{"tasks":[{"id":"1","subject":"a"}]}',
      "other.json": '{"tasks":[{"id":"1","subject":"a","status":"in_progress"},{"id":"2","subject":"b"}]}',
    },
  });
  await pi.run("go");
  const statuses = () =>
    pi.eventsOf("extension_ui_request").flatMap((event) => (event.method === "setStatus" ? [event.statusText] : []));
  expect(statuses()).toEqual(["0/1 tasks", "1 active / 0/2 tasks"]);
  await pi.run("go");
  expect(statuses()).toHaveLength(2);
});

test("/tasks leaves out a task of a big list, asks the model, or fails with nothing to show", async () => {
  const pi = await startPiRpc({
    extensions: ["dist/tasks.js"],
    script: [],
    env: { PI_TASK_LIST_ID: "big" },
    files: { "~/.pi/tasks/big/tasks.json": bigList },
  });
  await pi.prompt("/tasks");
  const event = await pi.waitFor(
    "extension_ui_request",
    (request) => (request as { method: string }).method === "notify",
  );
  const text = (event as { message: string }).message;
  expect(text.match(/^#\d+ \[/gm)).toHaveLength(300);
  expect(text.match(/^ {4}about \d+$/gm)).toHaveLength(300);
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  expect(pi.model.requests).toEqual([]);
});

test("/tasks says nothing in print mode", async () => {
  const pi = await startPiPrint({
    extensions: ["dist/tasks.js"],
    script: [],
    prompts: ["/tasks"],
    env: { PI_TASK_LIST_ID: "team" },
    files: { "~/.pi/tasks/team/tasks.json": '{"tasks":[{"id":"1","subject":"a","description":"about a"}]}' },
  });
  await pi.finished();
  expect(pi.stderr).toBe("Tasks  1 pending · 0 in progress · 0 done\n#1 [pending] a\n    about a\n");
});
