// The pool of agents on real runs; a shell script stands in for the child pi and says what such a pi says.
import path from "node:path";
import { expect, test } from "vitest";
import { resolveConfig } from "../../src/config.ts";
import { BUILT_IN_AGENTS } from "../../src/agents/definition.ts";
import { UnifiedSession, unifiedService } from "../../src/unified/session.ts";
import { AgentPool, type AgentLaunch } from "../../src/agents/pool.ts";
import { startRun } from "../../src/runs/start.ts";
import { CallFailures } from "../../src/tools/call-failures.ts";
import { runAgent, type AgentContext } from "../../src/tools/unified-task/run-agent.ts";
import type { TaskTool } from "../../src/tools/unified-task/task-tool.ts";
import { SESSION_ID, useBench } from "./runs.ts";

const bench = useBench();
const FACTS = { sessionId: SESSION_ID, childSessionId: "child", title: "Title", agentType: "type", isAwaited: false };

function says(text: string): string {
  const message = { role: "assistant", content: [{ type: "text", text }], stopReason: "stop", usage: { totalTokens: 5 } };
  return `echo '${JSON.stringify({ type: "message_end", message })}'`;
}

function launch(script: string, cleaned: () => void = () => undefined): AgentLaunch {
  return {
    start: (task) =>
      startRun(bench.registry, {
        id: task.runId,
        task: { kind: "agent", title: task.title },
        command: "agent",
        script,
        description: undefined,
        sessionId: SESSION_ID,
        cwd: bench.cwd,
        shell: bench.bash,
        env: {},
        foreground: false,
        timeoutMs: undefined,
        onTimeout: "stop",
        graceMs: 100,
        maxOutputChars: 1000,
        outputCapBytes: 1_000_000,
      }),
    errors: () => "",
    cleanUp: cleaned,
  };
}

test("an agent's report is lost, or what it was started with stays", async () => {
  const pool = new AgentPool(bench);
  let cleaned = 0;
  const task = pool.submit(FACTS, launch(`${says("first")}; ${says("last words")}`, () => cleaned++), 1);
  expect(task.state).toBe("running");
  expect(await pool.waitForResult(task)).toEqual({ kind: "reported", report: "last words" });
  expect(task.progress).toMatchObject({ turns: 2, usage: { totalTokens: 10 } });
  expect(cleaned).toBe(1);
  expect(bench.registry.get(task.runId)?.state).toBe("completed");
});

// faults: subagent-tasks-outlive-it
test("what an agent has left running goes on", async () => {
  const pool = new AgentPool(bench);
  const task = pool.submit(FACTS, launch(`sleep 600 & ${says("done")}`), 1);
  expect(await pool.waitForResult(task)).toMatchObject({ kind: "reported" });
  await expect.poll(() => bench.registry.get(task.runId)?.ended, { timeout: 20_000 }).toBe(true);
});

test("an agent that is waited for and cannot be started stays in memory", async () => {
  const session = new UnifiedSession(unifiedService(bench), SESSION_ID, 1_000);
  const tool: TaskTool = {
    config: { ...resolveConfig({}, undefined, "").config, surface: "unified" },
    failures: new CallFailures(),
    session: () => session,
    shell: () => ({ shell: bench.bash, warnings: [] }),
    definitions: () => Promise.resolve(new Map(BUILT_IN_AGENTS.map((one) => [one.name, one]))),
    ownExtensions: () => [],
  };
  const request = { kind: "agent" as const, subagentType: "explore", prompt: "Do it", title: "Helping", background: false };
  const cwd = path.join(bench.cwd, "gone");
  const context = { cwd, isProjectTrusted: () => false, hasPendingMessages: () => false } as AgentContext;
  await expect(runAgent(tool, request, undefined, undefined, context)).rejects.toThrow(cwd);
  expect(bench.registry.list().filter(({ description }) => description === "Helping")).toEqual([]);
  expect(bench.addon.runs().filter(({ meta }) => meta.includes("Helping"))).toEqual([]);
});

test("an agent that cannot be started holds up those behind it, stays queued, or nobody is told", async () => {
  const pool = new AgentPool(bench);
  const broken: AgentLaunch = { ...launch(""), start: () => { throw new Error("no room"); } };
  const first = pool.submit(FACTS, launch(`sleep 0.2; ${says("one")}`), 1);
  const second = pool.submit(FACTS, broken, 1);
  const third = pool.submit(FACTS, launch(says("three")), 1);
  expect([first, second, third].map(({ state }) => state)).toEqual(["running", "queued", "queued"]);
  expect(await pool.waitForResult(third)).toMatchObject({ report: "three" });
  expect(second.result).toEqual({ kind: "failed", failure: "The agent could not start: no room" });
  await expect.poll(() => bench.registry.get(third.runId)?.state).toBe("completed");
  const told = new Map(bench.notifier.take(SESSION_ID)?.details.tasks.map((task) => [task.id, task]));
  expect([first, second, third].map(({ runId }) => told.get(`agent:${runId}`))).toMatchObject([
    { status: "completed" },
    { status: "failed", outputPath: "" },
    { status: "completed" },
  ]);
});

test("an agent runs for ever once the modules were evaluated anew", async () => {
  const before = new AgentPool(bench);
  const task = before.submit(FACTS, launch(`sleep 0.2; ${says("still here")}`), 1);
  const run = bench.registry.get(task.runId);
  if (run === undefined) throw new Error("the agent has no run");
  const after = new AgentPool(bench);
  after.adopt(task, run);
  const adopted = after.get(task.runId);
  if (adopted === undefined) throw new Error("the agent was not taken over");
  expect(await after.waitForResult(adopted)).toEqual({ kind: "reported", report: "still here" });
});

test("modules from before a reload write over what those after it know", () => {
  const before = new UnifiedSession(unifiedService(bench), SESSION_ID, 1_000);
  const { journal, pool } = before.parts;
  const first = pool.submit(FACTS, launch("sleep 600"), 2);
  expect(journal.read(SESSION_ID, first.runId)).toMatchObject({ state: "running" });
  const after = new UnifiedSession(unifiedService({ ...bench }), SESSION_ID, 1_000);
  expect(after.book.get(first.runId)).toMatchObject({ state: "running" });
  const second = pool.submit(FACTS, launch("sleep 600"), 2);
  expect(journal.read(SESSION_ID, second.runId)).toBeUndefined();
});
