// Every row of the text tables as the model reads it, to the byte.
import { expect, test } from "vitest";
import { startPiJson, type PiOnce, type Script } from "./harness/index.ts";

const EXTENSION = "dist/tasks.js";
const call = (tool: string, args: Record<string, unknown> | string = {}) => ({ tool, args });
const create = (subject: string, more: Record<string, unknown> = {}) =>
  call("TaskCreate", { subject, description: `do ${subject}`, ...more });
const update = (taskId: unknown, more: Record<string, unknown> = {}) => call("TaskUpdate", { taskId, ...more });
const get = (taskId: unknown) => call("TaskGet", { taskId });
const list = call("TaskList");

async function play(script: Script, env: Record<string, string> = {}): Promise<PiOnce> {
  const pi = await startPiJson({ extensions: [EXTENSION], script, env });
  await pi.finished();
  return pi;
}

/** One turn per call, then an end. The results in order. */
async function resultsOf(calls: ReturnType<typeof call>[], env?: Record<string, string>) {
  const pi = await play([...calls, { text: "end" }], env);
  return pi.toolResults();
}

test("a result reads differently from what readers of the format expect", async () => {
  const results = await resultsOf([
    list,
    create("First"),
    create("Second", { activeForm: "Doing second" }),
    create("Hidden", { metadata: { _internal: true } }),
    update("2", { owner: "ann", addBlockedBy: ["1", "3"], status: "in_progress" }),
    list,
    get("2"),
    get("1"),
    get("3"),
    update("2"),
    update("2", { owner: "ann", status: "in_progress" }),
    update("1", {
      addBlocks: ["2"],
      metadata: { a: 1 },
      owner: "bob",
      activeForm: "x",
      description: "d",
      subject: "F",
      status: "completed",
    }),
    update("3", { status: "completed" }),
    list,
    get("2"),
    update("1", { status: "deleted", subject: "ignored" }),
    get("1"),
    update("1", { subject: "gone" }),
    get("2"),
    create("Third"),
  ]);
  expect(results.map(({ text }) => text)).toEqual([
    "No tasks found",
    "Task #1 created successfully: First",
    "Task #2 created successfully: Second",
    "Task #3 created successfully: Hidden",
    "Updated task #2 owner, status, blockedBy",
    "#1 [pending] First\n#2 [in_progress] Second (ann) [blocked by #1, #3]",
    "Task #2: Second\nStatus: in_progress\nDescription: do Second\nBlocked by: #1, #3",
    "Task #1: First\nStatus: pending\nDescription: do First\nBlocks: #2",
    "Task #3: Hidden\nStatus: pending\nDescription: do Hidden\nBlocks: #2",
    "Updated task #2 ",
    "Updated task #2 ",
    "Updated task #1 subject, description, activeForm, owner, metadata, status",
    "Updated task #3 status",
    "#1 [completed] F (bob)\n#2 [in_progress] Second (ann)",
    "Task #2: Second\nStatus: in_progress\nDescription: do Second\nBlocked by: #1, #3",
    "Updated task #1 deleted",
    "Task not found",
    "Task not found",
    "Task #2: Second\nStatus: in_progress\nDescription: do Second\nBlocked by: #3",
    "Task #4 created successfully: Third",
  ]);
  expect(results.every(({ isError }) => isError === false)).toBe(true);
  expect(results.map(({ details }) => details)).toEqual([
    { tasks: [] },
    { task: { id: "1", subject: "First" } },
    { task: { id: "2", subject: "Second" } },
    { task: { id: "3", subject: "Hidden" } },
    {
      success: true,
      taskId: "2",
      updatedFields: ["owner", "status", "blockedBy"],
      statusChange: { from: "pending", to: "in_progress" },
    },
    {
      tasks: [
        { id: "1", subject: "First", status: "pending", blockedBy: [] },
        { id: "2", subject: "Second", status: "in_progress", owner: "ann", blockedBy: ["1", "3"] },
      ],
    },
    {
      task: {
        id: "2",
        subject: "Second",
        description: "do Second",
        status: "in_progress",
        blocks: [],
        blockedBy: ["1", "3"],
      },
    },
    { task: { id: "1", subject: "First", description: "do First", status: "pending", blocks: ["2"], blockedBy: [] } },
    { task: { id: "3", subject: "Hidden", description: "do Hidden", status: "pending", blocks: ["2"], blockedBy: [] } },
    { success: true, taskId: "2", updatedFields: [] },
    { success: true, taskId: "2", updatedFields: [] },
    {
      success: true,
      taskId: "1",
      updatedFields: ["subject", "description", "activeForm", "owner", "metadata", "status"],
      statusChange: { from: "pending", to: "completed" },
    },
    {
      success: true,
      taskId: "3",
      updatedFields: ["status"],
      statusChange: { from: "pending", to: "completed" },
    },
    {
      tasks: [
        { id: "1", subject: "F", status: "completed", owner: "bob", blockedBy: [] },
        { id: "2", subject: "Second", status: "in_progress", owner: "ann", blockedBy: [] },
      ],
    },
    {
      task: {
        id: "2",
        subject: "Second",
        description: "do Second",
        status: "in_progress",
        blocks: [],
        blockedBy: ["1", "3"],
      },
    },
    {
      success: true,
      taskId: "1",
      updatedFields: ["deleted"],
      statusChange: { from: "completed", to: "deleted" },
    },
    { task: null },
    { success: false, taskId: "1", updatedFields: [] },
    {
      task: {
        id: "2",
        subject: "Second",
        description: "do Second",
        status: "in_progress",
        blocks: [],
        blockedBy: ["3"],
      },
    },
    { task: { id: "4", subject: "Third" } },
  ]);
});

// faults: wrong-parameter-swallowed
test("a usual slip is swallowed, or refused although it is plain what was meant", async () => {
  const results = await resultsOf([
    create("a", { active_form: "Doing a" }),
    call("TaskCreate", { subject: "b", description: "b", metadata: '{"k":1}', activeForm: null }),
    update(undefined, { id: 2, addBlockedBy: '["1"]' }),
    update("#2", { addBlockedBy: "#1", status: "in-progress" }),
    call("TaskGet", { task_id: 2 }),
    call("TaskGet", { id: " #1 " }),
    update(1, { add_blocks: [2, "#7"], status: "Completed" }),
  ]);
  expect(results.map(({ text }) => text)).toEqual([
    "Task #1 created successfully: a",
    "Task #2 created successfully: b",
    "Updated task #2 blockedBy",
    "Updated task #2 status",
    "Task #2: b\nStatus: in_progress\nDescription: b\nBlocked by: #1",
    "Task #1: a\nStatus: pending\nDescription: do a\nBlocks: #2",
    "Updated task #1 status",
  ]);
});

test("an error does not start with what is wrong, or does not name the right field", async () => {
  const results = await resultsOf([
    create("a"),
    update("1", { blockedBy: ["2"] }),
    update("1", { status: "done" }),
    call("TaskUpdate", { status: "completed" }),
    call("TaskCreate", { description: "d", subject: null }),
    call("TaskCreate", { description: "d", subject: "  " }),
    call("TaskCreate", { description: "d", subject: { a: 1 } }),
    call("TaskCreate", { title: "t", description: "d" }),
    call("TaskList", { status: "pending" }),
    call("TaskGet", { taskId: "1", id: "2" }),
    update("1", { addBlocks: [{ id: "2" }] }),
    update("1", { metadata: "text" }),
    call("TaskCreate", '{"subject": "cut off'),
    list,
  ]);
  const expected = [
    /^Task #1/,
    /^Unknown field "blockedBy" for TaskUpdate\. Did you mean addBlockedBy\?/,
    /^Validation failed for tool "TaskUpdate":\n {2}- status: expected one of .*in_progress/,
    /^Validation failed for tool "TaskUpdate":\n {2}- taskId: missing/,
    /^Validation failed for tool "TaskCreate":\n {2}- subject: missing/,
    /^Empty subject for TaskCreate/,
    /^Validation failed for tool "TaskCreate":\n {2}- subject: expected string/,
    /^Unknown field "title" for TaskCreate\. Did you mean subject\?/,
    /^Unknown field "status" for TaskList\. TaskList takes no fields\./,
    /^Field taskId for TaskGet is given twice/,
    /^Validation failed for tool "TaskUpdate":\n {2}- addBlocks\.0: expected string/,
    /^Validation failed for tool "TaskUpdate":\n {2}- metadata: expected object/,
    /^Invalid arguments for tool "TaskCreate"/,
    /^#1 \[pending\] a$/,
  ];
  expect(results).toHaveLength(expected.length);
  results.forEach(({ text, isError }, index) => {
    expect(text).toMatch(expected[index] ?? /^$/);
    expect(isError).toBe(index > 0 && index < expected.length - 1);
  });
});

// faults: parallel-create-order
test("eleven creates in one turn get other ids than their places, or a list after them misses some", async () => {
  const subjects = Array.from({ length: 11 }, (_, index) => `t${index + 1}`);
  const pi = await play([{ calls: [...subjects.map((subject) => create(subject)), list] }, { text: "end" }]);
  const texts = pi.toolResults().map(({ text }) => text);
  expect(texts.slice(0, 11)).toEqual(
    subjects.map((subject, index) => `Task #${index + 1} created successfully: ${subject}`),
  );
  expect(texts[11]).toBe(subjects.map((subject, index) => `#${index + 1} [pending] ${subject}`).join("\n"));
});

// faults: files-in-project
test("the session or the disk misses a mutation, or something is written into the project", async () => {
  const pi = await play([create("a"), update("1", { status: "completed" }), update("1"), { text: "end" }]);
  const [session] = pi.sessions();
  const states = session?.entries.flatMap((entry) =>
    entry.type === "custom" && entry.customType === "picc-tasks-state" ? [entry.data] : [],
  );
  const task = { id: "1", subject: "a", description: "do a", status: "pending", blocks: [], blockedBy: [] };
  const last = { tasks: [{ ...task, status: "completed" }], highWaterMark: 1, revision: 2 };
  expect(states).toEqual([{ tasks: [task], highWaterMark: 1, revision: 1 }, last]);
  const header = session?.entries[0];
  const listId = header?.type === "session" ? header.id : "";
  expect(JSON.parse(pi.home.read(`~/.pi/tasks/${listId}/tasks.json`))).toEqual(last);
  expect(pi.home.exists(".pi")).toBe(false);
});

test("a subject with line breaks makes a second line in the list", async () => {
  const results = await resultsOf([create("a\n#9 [completed] b"), update("1", { owner: "x\r\ny" }), list]);
  expect(results[2]?.text).toBe("#1 [pending] a #9 [completed] b (x y)");
  expect(results[0]?.text).toBe("Task #1 created successfully: a\n#9 [completed] b");
});

const finishThree = [
  create("a"),
  create("b"),
  create("c"),
  update("1", { status: "completed" }),
  update("2", { status: "completed" }),
  update("3", { status: "completed" }),
];

test("the verification nudge comes without being asked for", async () => {
  const results = await resultsOf(finishThree);
  expect(results[5]?.text).toBe("Updated task #3 status");
  expect(results[5]?.details).not.toHaveProperty("verificationNudgeNeeded");
});

test("the verification nudge does not come when asked for, or comes twice", async () => {
  const calls = [...finishThree, update("3", { owner: "me" })];
  const results = await resultsOf(calls, { PI_TASKS_VERIFICATION_NUDGE: "yes" });
  expect(results[4]?.text).toBe("Updated task #2 status");
  expect(results[5]?.text).toMatch(/^Updated task #3 status\n\nNOTE: .*subagent_type="verification"/);
  expect(results[5]?.details).toMatchObject({ verificationNudgeNeeded: true });
  expect(results[6]?.text).toBe("Updated task #3 owner");
});

test("the tools are offered although they are switched off", async () => {
  const names = async (env: Record<string, string>, args: string[] = []) => {
    const pi = await startPiJson({ extensions: [EXTENSION], script: [{ text: "end" }], env, args });
    await pi.finished();
    return pi.model.requests[0]?.tools.map(({ name }) => name).filter((name) => name.startsWith("Task"));
  };
  expect(await names({})).toEqual(["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"]);
  expect(await names({ PI_TASKS_DISABLE: "1" })).toEqual([]);
  expect(await names({}, ["--tools", "bash,TaskList"])).toEqual(["TaskList"]);
});
