// Sub-agents in a real pi: parent and children ask one scripted model server, each by its own model id.
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startPiJson, startPiRpc, type PiOptions, type PiRpc, type Turn } from "./harness/index.ts";
import type { PiUnderTest } from "./harness/pi-under-test.ts";
import {
  agent,
  awaitTasks,
  background,
  call,
  callAll,
  command,
  lastResults,
  list,
  payload,
  rows,
  startTask,
  terminate,
  told,
  UNIFIED,
} from "./unified.ts";

interface Scripts {
  parent?: Turn[];
  child?: Turn[];
  grandchild?: Turn[];
}

async function start(scripts: Scripts, options: Partial<PiOptions> = {}): Promise<PiRpc> {
  const { parent = [], child = [], grandchild = [] } = scripts;
  return startPiRpc({ ...UNIFIED, ...options, script: { parent, child, grandchild } });
}

function config(settings: Record<string, unknown>): Partial<PiOptions> {
  return {
    files: { ...UNIFIED.files, "~/.pi/agent/extensions/picc-bash/config.json": JSON.stringify(settings) },
  };
}

const requestsOf = (pi: PiUnderTest, modelId: string) =>
  pi.model.requests.filter((request) => request.modelId === modelId);

test("an agent's report or usage is lost, its prompt changed, or it has other tools than its parent", async () => {
  const pi = await startPiJson({
    ...UNIFIED,
    script: {
      parent: [agent({ prompt: "@now -x\n'quoted' $HOME" }), { text: "end" }],
      child: [command("echo from the child"), { text: "The *report*." }],
    },
  });
  await pi.finished();
  const [result] = lastResults(pi, 1);
  expect(payload(result)).toMatchObject({
    status: "completed",
    title: "Helping",
    reportMarkdown: "## Helping (child)\n\nThe *report*.",
  });
  const [first, second] = requestsOf(pi, "child");
  expect(first?.messages.at(-1)?.text).toBe("@now -x\n'quoted' $HOME");
  expect(first?.systemPrompt).toContain("You are the child.");
  expect(first?.tools.map(({ name }) => name)).toEqual(requestsOf(pi, "parent")[0]?.tools.map(({ name }) => name));
  expect(second?.lastToolResult).toContain("from the child");
  const stored = pi.sessions().flatMap(({ entries }) => entries);
  const usage = stored.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "toolResult" ? [entry.message.usage] : [],
  );
  expect(usage[0]).toMatchObject({ input: 200, output: 20, totalTokens: 220 });
});

test("an agent that fails looks like one that has reported, or is not said why", async () => {
  const pi = await start({ child: [{ status: 400, message: "no credit" }, { text: "" }] });
  const failed = await call(pi, agent());
  expect(failed).toMatchObject({ isError: true });
  expect(failed.text).toMatch(/ended without a report\. The agent's model failed: .*no credit/);
  const silent = await call(pi, agent());
  expect(silent).toMatchObject({ isError: true });
  expect(silent.text).toMatch(/without a report/);
  const unknown = await call(pi, agent({ subagent_type: "nobody" }));
  expect(unknown.text).toMatch(
    /no subagent_type "nobody"[\s\S]*general-purpose[\s\S]*explore[\s\S]*child: The child of the tests/,
  );
  const [row] = rows(await call(pi, list("failed")));
  expect(row).toMatchObject({ kind: "agent", status: "failed", agentType: "child" });
});

test("a child starts without an extension that its parent was given", async () => {
  const extensions = [...(UNIFIED.extensions ?? []), "__test__/pi/fixtures/command-policy.ts"];
  const pi = await start(
    { child: [command("touch started # forbidden"), { text: "I was not allowed" }] },
    { extensions },
  );
  const answer = payload(await call(pi, agent()));
  expect(answer["reportMarkdown"]).toContain("I was not allowed");
  expect(requestsOf(pi, "child").at(-1)?.lastToolResult).toContain("not with me");
  expect(pi.home.exists("started")).toBe(false);
});

test("a child has a tool or a flag of an extension that its parent has not", async () => {
  const gate = `export default function gate(pi) {
    pi.registerFlag("gate", { type: "string", description: "Mode", default: "open" });
    pi.on("tool_call", (event) =>
      event.toolName === "task_list" ? { block: true, reason: "gate is " + pi.getFlag("gate") } : undefined);
  }`;
  const pi = await start(
    { child: [list(), { text: "done" }] },
    {
      files: { ...UNIFIED.files, "gate.ts": gate },
      args: ["-e", "gate.ts", "--gate", "strict", "-nt", "-t", "+task,+task_list"],
    },
  );
  const answer = await call(pi, agent());
  expect(answer.text).toContain("done");
  const [first, second] = requestsOf(pi, "child");
  expect(first?.tools.map(({ name }) => name).sort()).toEqual(["task", "task_list"]);
  expect(second?.lastToolResult).toContain("gate is strict");
});

test("a child whose permission extension cannot be loaded starts all the same", async () => {
  const pi = await start(
    {},
    { files: { ...UNIFIED.files, "policy.ts": "export default function policy() {}" }, args: ["-e", "policy.ts"] },
  );
  await pi.sessionId();
  pi.home.write("policy.ts", "throw new Error('damaged');");
  const result = await call(pi, agent());
  expect(result).toMatchObject({ isError: true });
  expect(result.text).toMatch(/could not start[\s\S]*damaged/);
  expect(requestsOf(pi, "child")).toEqual([]);
});

test("agents beyond the limit run, are lost, or start in another order", async () => {
  const gate: Turn = async () => {
    while (!pi.home.exists("go")) await new Promise((resolve) => setTimeout(resolve, 20));
    return { text: "done" };
  };
  const pi: PiRpc = await start({ child: [gate, gate, gate] }, config({ maxParallelAgents: 1 }));
  const started = await callAll(
    pi,
    ...["a", "b", "c"].map((prompt) => agent({ prompt, title: prompt, run_in_background: true })),
  );
  expect(started.map((result) => payload(result)["status"])).toEqual(["running", "queued", "queued"]);
  const ids = started.map((result) => String(payload(result)["taskId"]));
  expect(rows(await call(pi, list())).map((row) => row["status"])).toEqual(["running", "queued", "queued"]);
  expect(rows(await call(pi, awaitTasks({ task_ids: ids, timeout_secs: 0 })))).toMatchObject([
    { status: "running" },
    { status: "queued" },
    { status: "queued" },
  ]);
  const [dropped] = rows(await call(pi, terminate(ids[1] ?? "")));
  expect(dropped).toMatchObject({ status: "terminated", terminatedTaskIds: [ids[1]] });
  pi.home.write("go", "");
  const ended = rows(await call(pi, awaitTasks({ task_ids: ids, min_completed: 3 })));
  expect(ended.map((row) => row["outcome"])).toEqual(["exited", "killed", "exited"]);
  expect(requestsOf(pi, "child").map((request) => request.messages.at(-1)?.text)).toEqual(["a", "c"]);
});

test("an agent that cannot be started when its turn comes, or at once, is said to run", async () => {
  const gate: Turn = async () => {
    while (!pi.home.exists("go")) await new Promise((resolve) => setTimeout(resolve, 20));
    return { text: "done" };
  };
  const pi: PiRpc = await start({ child: [gate] }, config({ maxParallelAgents: 1 }));
  const later = (title: string) => agent({ title, run_in_background: true });
  const started = await callAll(pi, later("first"), later("second"));
  const [first = "", second = ""] = started.map((result) => String(payload(result)["taskId"]));
  // An agent's files can no longer be put where they belong.
  renameSync(pi.home.tmp, `${pi.home.tmp}-gone`);
  writeFileSync(pi.home.tmp, "");
  pi.home.write("go", "");
  await told(pi, first, second);
  const notices = pi.taskNotifications().map(({ text }) => text);
  expect(notices.join("\n")).toMatch(
    new RegExp(`<task-id>${second}</task-id><status>failed</status><summary>Agent &quot;second&quot; ended without`),
  );
  const ends = rows(await call(pi, awaitTasks({ task_ids: [second], timeout_secs: 0 })));
  expect(ends).toMatchObject([{ outcome: "failed" }]);
  expect(ends[0]?.["reportMarkdown"]).toMatch(/could not start: ENOTDIR/);
  const atOnce = await call(pi, later("third"));
  expect(atOnce).toMatchObject({ isError: true });
  expect(atOnce.text).toMatch(/could not start: ENOTDIR/);
  expect(pi.taskNotifications()).toHaveLength(notices.length);
});

test("agents nest without end, or the error does not say why they may not", async () => {
  const pi = await start(
    { child: [agent({ subagent_type: "grandchild" }), { text: "child is done" }] },
    config({ maxAgentDepth: 1 }),
  );
  const answer = payload(await call(pi, agent()));
  expect(answer["reportMarkdown"]).toContain("child is done");
  expect(requestsOf(pi, "child").at(-1)?.lastToolResult).toMatch(/depth 2 is not allowed, maxAgentDepth is 1/);
  expect(requestsOf(pi, "child")[0]?.tools.find(({ name }) => name === "task")?.description).toContain(
    "cannot be started here",
  );
  expect(requestsOf(pi, "grandchild")).toEqual([]);
});

test("a message of the user waits for an agent, or the agent is lost by it", async () => {
  const pi = await start({ child: [{ hang: true }] });
  pi.model.push([agent(), { text: "end" }], "parent");
  await pi.prompt("go");
  await pi.waitFor("tool_execution_update", (event) => JSON.stringify(event.partialResult).includes("tokens"));
  await pi.prompt("hello", "steer");
  await pi.settled();
  const moved = payload(lastResults(pi, 1)[0]);
  expect(moved).toMatchObject({ status: "running" });
  expect(moved["note"]).toMatch(/sent a message.*task_await/);
  const [ended] = rows(await call(pi, terminate(String(moved["taskId"]))));
  expect(ended).toMatchObject({ status: "terminated", terminatedTaskIds: [moved["taskId"]] });
  const [row] = rows(await call(pi, awaitTasks({ task_ids: [moved["taskId"]] })));
  expect(row).toMatchObject({ status: "completed", outcome: "killed" });
});

test("an aborted agent runs on, or Escape waits for it", async () => {
  const pi = await start({ child: [{ hang: true }] });
  pi.model.push([agent()], "parent");
  await pi.prompt("go");
  await pi.waitFor("tool_execution_update", (event) => JSON.stringify(event.partialResult).includes("tokens"));
  await pi.abort();
  await pi.settled();
  expect(await pi.waitForNoProcess(10_000)).toEqual([]);
});

// faults: report-lost-on-interrupt
test("a report is gone after a restart, or with the child's folder", async () => {
  const first = await start({ child: [{ text: "Worth keeping." }] });
  const taskId = await startTask(first, agent({ run_in_background: true }));
  const one = awaitTasks({ task_ids: [taskId], min_completed: 1 });
  const before = rows(await call(first, one))[0];
  expect(before).toMatchObject({
    status: "completed",
    outcome: "exited",
    reportMarkdown: "## Helping (child)\n\nWorth keeping.",
  });
  const stopped = await startTask(first, background("sleep 600"));
  const sessionFile = (await first.send({ type: "get_state" })).data.sessionFile ?? "";
  const own = path.basename(path.dirname(path.dirname(String(rows(await call(first, list()))[0]?.["outputPath"]))));
  await first.send({ type: "new_session" });
  await first.send({ type: "switch_session", sessionPath: sessionFile });
  expect(rows(await call(first, one))).toEqual([before]);
  const base = path.join(first.home.tmp, "picc-bash");
  for (const name of readdirSync(base))
    if (name !== own && name !== "journal") rmSync(path.join(base, name), { recursive: true });
  expect(existsSync(path.join(base, own))).toBe(true);
  expect(rows(await call(first, one))).toEqual([before]);
  await call(first, terminate(stopped));
});

test("a parent does not see, await or end what its descendants run; or a descendant reaches up or sideways", async () => {
  const looks: string[][] = [];
  const upwards: Turn = (request) => ({
    calls: [
      list(),
      awaitTasks({ task_ids: [request.find(/parent task (bash:\w+)/)], timeout_secs: 0 }),
      terminate(request.find(/parent task (bash:\w+)/)),
    ],
  });
  const pi = await start({
    child: [
      background("echo of the child; sleep 600", { display_name: "child's" }),
      (request) =>
        agent({
          subagent_type: "grandchild",
          prompt: `parent task ${request.find(/parent task (bash:\w+)/)}`,
          title: "Deep",
          run_in_background: true,
        }),
      upwards,
      { hang: true },
    ],
    grandchild: [
      background("echo of the grandchild; sleep 600", { display_name: "grandchild's" }),
      upwards,
      { hang: true },
    ],
  });
  const own = await startTask(pi, background("echo of the parent; sleep 600", { display_name: "parent's" }));
  const agentId = await startTask(pi, agent({ prompt: `parent task ${own}`, run_in_background: true }));
  // Both have looked up when they hang.
  await expect.poll(() => requestsOf(pi, "grandchild").length, { timeout: 30_000 }).toBe(3);
  await expect.poll(() => requestsOf(pi, "child").length, { timeout: 30_000 }).toBe(4);
  for (const model of ["child", "grandchild"]) {
    const results =
      requestsOf(pi, model)
        .at(-1)
        ?.toolResults.slice(-3)
        .map(({ text }) => text) ?? [];
    looks.push(results);
    expect(JSON.parse(results[1] ?? "")).toEqual({ tasks: [{ status: "invalid_scope", taskId: own }] });
    expect(JSON.parse(results[2] ?? "")).toEqual({ tasks: [{ status: "invalid_scope", taskId: own }] });
    expect(results[0]).not.toContain("parent's");
  }
  expect(looks[0]?.[0]).toContain("child's");
  expect(looks[1]?.[0]).not.toContain('"child\'s"');

  const listed = rows(await call(pi, list()));
  expect(listed.map((row) => [row["display_name"] ?? row["title"], row["depth"], row["parentId"]])).toEqual([
    ["parent's", 0, null],
    ["Helping", 0, null],
    ["child's", 1, agentId],
    ["Deep", 1, agentId],
    ["grandchild's", 2, listed[3]?.["taskId"]],
  ]);
  const deepest = String(listed[4]?.["taskId"]);
  const awaitDeepest = awaitTasks({ task_ids: [deepest] });
  expect(rows(await call(pi, awaitDeepest))).toMatchObject([
    { status: "running", taskId: deepest, output: "of the grandchild" },
  ]);
  // One task in another process, then an agent with all that is below it, the deepest first.
  expect(rows(await call(pi, terminate(deepest)))).toEqual([
    { status: "terminated", taskId: deepest, terminatedTaskIds: [deepest] },
  ]);
  expect(rows(await call(pi, awaitDeepest))).toMatchObject([{ status: "completed", outcome: "killed" }]);
  const [all] = rows(await call(pi, terminate(agentId)));
  const ended = all?.["terminatedTaskIds"] as string[];
  expect(all).toMatchObject({ status: "terminated", taskId: agentId });
  expect(ended.slice(0, 2).sort()).toEqual([listed[2]?.["taskId"], listed[3]?.["taskId"]].sort());
  expect(ended.at(-1)).toBe(agentId);
  // The child is gone; what it has run is still in scope.
  expect(rows(await call(pi, list("killed"))).map((row) => row["taskId"])).toEqual(
    listed.slice(1).map((row) => row["taskId"]),
  );
  expect(rows(await call(pi, awaitTasks({ task_ids: [listed[2]?.["taskId"]] })))).toMatchObject([
    { status: "completed", outcome: "killed", output: "of the child" },
  ]);
  await call(pi, terminate(own));
  expect(await pi.waitForNoProcess(10_000)).toEqual([]);
}, 120_000);

test("definitions of a project that is not trusted are offered, or a trusted project's are not", async () => {
  const files = {
    ...UNIFIED.files,
    ".pi/agents/local.md":
      "---\nname: local\ndescription: Of this project\ntools: [read]\nmodel: scripted/child\n---\nHi\n",
  };
  const types = async (args: string[]) => {
    const pi = await startPiJson({ ...UNIFIED, files, args, script: { parent: [{ text: "end" }] } });
    await pi.finished();
    return pi.model.requests[0]?.tools.find(({ name }) => name === "task")?.description;
  };
  expect(await types(["--approve"])).toContain("- local: Of this project");
  expect(await types(["--no-approve"])).not.toContain("local");
});
