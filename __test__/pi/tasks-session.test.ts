// The list wherever the session goes: back in the tree, forks, clones, new, resumed and reloaded sessions, compaction.
import { describe, expect, test } from "vitest";
import { startPiRpc, type PiOptions, type PiRpc } from "./harness/index.ts";

const create = (subject: string) => ({ tool: "TaskCreate", args: { subject, description: "" } });
const list = { tool: "TaskList", args: {} };
const complete = (taskId: string) => ({ tool: "TaskUpdate", args: { taskId, status: "completed" } });

async function start(options: Partial<PiOptions> = {}): Promise<PiRpc> {
  const extensions = ["dist/tasks.js", "__test__/pi/fixtures/session-moves.ts"];
  return startPiRpc({ extensions, script: [], ...options });
}

/** Lets the model make these calls after one prompt; the text of the last result. */
async function run(
  pi: PiRpc,
  ...calls: { tool: string; args: Record<string, unknown> }[]
): Promise<string | undefined> {
  pi.model.push([...calls, { text: "end" }]);
  await pi.prompt("go on");
  await pi.settled();
  return pi.model.requests.at(-1)?.lastToolResult;
}

async function sessionFile(pi: PiRpc): Promise<string> {
  return (await pi.send({ type: "get_state" })).data.sessionFile ?? "";
}

/** Ids of the user messages on the branch, oldest first. */
async function userMessages(pi: PiRpc): Promise<string[]> {
  const { data } = await pi.send({ type: "get_fork_messages" });
  return data.messages.map(({ entryId }) => entryId);
}

describe("the list of a session", () => {
  // faults: rewind-keeps-future-tasks
  test("going back in the tree keeps later tasks, or their ids are given again", async () => {
    const pi = await start();
    await run(pi, create("a"));
    await run(pi, create("b"), complete("1"));
    const [, second = ""] = await userMessages(pi);
    await pi.prompt(`/go-to ${second}`);
    expect(await run(pi, list)).toBe("#1 [pending] a");
    expect(await run(pi, create("c"))).toBe("Task #3 created successfully: c");
    await pi.prompt("/reload-now");
    expect(await run(pi, list)).toBe("#1 [pending] a\n#3 [pending] c");
  });

  test("a fork or clone starts empty, or shares its changes with the parent", async () => {
    const pi = await start();
    await run(pi, create("a"));
    const parent = await sessionFile(pi);
    await run(pi, create("b"));
    const [, second = ""] = await userMessages(pi);
    await pi.send({ type: "fork", entryId: second });
    expect(await run(pi, list)).toBe("#1 [pending] a");
    expect(await run(pi, complete("1"), create("only here"))).toBe("Task #2 created successfully: only here");
    await pi.send({ type: "switch_session", sessionPath: parent });
    expect(await run(pi, list)).toBe("#1 [pending] a\n#2 [pending] b");
    await pi.send({ type: "clone" });
    expect(await run(pi, complete("2"), list)).toBe("#1 [pending] a\n#2 [completed] b");
    await pi.send({ type: "switch_session", sessionPath: parent });
    expect(await run(pi, list)).toBe("#1 [pending] a\n#2 [pending] b");
  });

  // faults: list-gone-after-clear, list-gone-after-resume
  test("a new session inherits the list, or the old one has lost it when it is resumed", async () => {
    const pi = await start();
    await run(pi, create("a"), create("b"));
    const first = await sessionFile(pi);
    await pi.newSession();
    expect(await run(pi, list)).toBe("No tasks found");
    await pi.send({ type: "switch_session", sessionPath: first });
    expect(await run(pi, list)).toBe("#1 [pending] a\n#2 [pending] b");
    expect(await run(pi, create("c"))).toBe("Task #3 created successfully: c");
  });

  test("a reload or a compaction loses the list or a state", async () => {
    const pi = await start({ settings: { compaction: { keepRecentTokens: 1 } } });
    await run(pi, create("a"), create("b"), complete("1"));
    await pi.prompt("/reload-now");
    expect(await run(pi, list)).toBe("#1 [completed] a\n#2 [pending] b");
    pi.model.push([{ text: "what was said before" }]);
    await pi.send({ type: "compact" });
    expect(await run(pi, list)).toBe("#1 [completed] a\n#2 [pending] b");
  });
});

describe("a shared list", () => {
  const env = { PI_TASK_LIST_ID: "team/alpha" };

  // faults: list-gone-after-clear
  test("a new session with the same id does not see the list, or going back takes back what others see", async () => {
    const pi = await start({ env });
    await run(pi, create("a"));
    await run(pi, create("b"));
    const [first = ""] = await userMessages(pi);
    await pi.prompt(`/go-to ${first}`);
    expect(await run(pi, list)).toBe("#1 [pending] a\n#2 [pending] b");
    await pi.newSession();
    expect(await run(pi, list)).toBe("#1 [pending] a\n#2 [pending] b");
    await pi.send({ type: "clone" });
    expect(await run(pi, create("c"))).toBe("Task #3 created successfully: c");
  });

  // faults: torn-file
  test("a torn file takes the list with it, or nobody is told", async () => {
    const pi = await start({ env: { PI_TASK_LIST_ID: "team" } });
    await run(pi, create("a"));
    pi.home.write("~/.pi/tasks/team/tasks.json", '{"tasks":[');
    expect(await run(pi, list)).toBe("#1 [pending] a");
    const warnings = pi.eventsOf("extension_ui_request").map((event) => JSON.stringify(event));
    expect(warnings.filter((warning) => warning.includes("tasks.damaged-"))).toHaveLength(1);
    expect(await run(pi, create("b"))).toBe("Task #2 created successfully: b");
  });
});

test("a home that cannot be written to stops the session list, or is kept from the model", async () => {
  const pi = await start({ files: { "~/.pi/tasks": "in the way" } });
  expect(await run(pi, create("a"))).toMatch(
    /^Task #1 created successfully: a\n\nNote: .*\(ENOTDIR\); the list is kept in the session\.$/,
  );
  await pi.prompt("/reload-now");
  expect(await run(pi, list)).toBe("#1 [pending] a");
});

test("a shared list that cannot be written is called changed", async () => {
  const pi = await start({ files: { "~/.pi/tasks": "in the way" }, env: { PI_TASK_LIST_ID: "team" } });
  expect(await run(pi, create("a"))).toMatch(/^TaskCreate failed: .*\(ENOTDIR\); nothing was changed\.$/);
  expect(await run(pi, list)).toBe("No tasks found");
});

// faults: tool-name-clash
test("another extension's TaskCreate keeps pi from starting, or takes the place of ours without a word", async () => {
  const other = `export default (pi) => pi.registerTool({
    name: "TaskCreate", label: "TaskCreate", description: "other", parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: "the other list" }], details: undefined }),
  });`;
  const ours = new URL("../../dist/tasks.js", import.meta.url).pathname;
  const files = { "other.mjs": other };
  const pi = await start({ extensions: [], args: ["-e", "./other.mjs", "-e", ours], files });
  expect(await run(pi, { tool: "TaskCreate", args: {} })).toBe("the other list");
  expect(await run(pi, list)).toContain("No tasks");
  expect(pi.stderr).toMatch(/pi-foreman: .*"TaskCreate".*other\.mjs/);
});
