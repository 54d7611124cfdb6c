// What the tests of the unified tools share: a pi with that surface, calls, and reading their answers.
import type { PiOptions, PiRpc } from "./harness/index.ts";
import type { PiUnderTest } from "./harness/pi-under-test.ts";
import type { ToolResult } from "./harness/transcript.ts";
import type { Answer, ToolCall } from "./harness/turn.ts";

export const UNIFIED: Omit<PiOptions, "script"> = {
  extensions: ["dist/bash.js", "dist/tasks.js", "dist/unified.js"],
  env: { PICC_TOOL_SURFACE: "unified" },
  files: {
    "~/.pi/agent/agents/child.md": definition("child"),
    "~/.pi/agent/agents/grandchild.md": definition("grandchild"),
  },
};

/** An agent whose model has its own script. */
function definition(name: string): string {
  return `---\nname: ${name}\ndescription: The ${name} of the tests\nmodel: scripted/${name}\n---\nYou are the ${name}.\n`;
}

export type Call = ToolCall;
type More = Record<string, unknown>;

export function command(script: string, more: More = {}): Call {
  return { tool: "task", args: { kind: "bash", script, timeout_secs: 60, display_name: "A command", ...more } };
}

export function background(script: string, more: More = {}): Call {
  return command(script, { run_in_background: true, ...more });
}

export function agent(more: More = {}): Call {
  return { tool: "task", args: { subagent_type: "child", prompt: "Do it", title: "Helping", ...more } };
}

export function awaitTasks(args: More = {}): Call {
  return { tool: "task_await", args };
}

export function list(...statuses: string[]): Call {
  return { tool: "task_list", args: statuses.length > 0 ? { statuses } : {} };
}

export function terminate(...taskIds: string[]): Call {
  return { tool: "task_terminate", args: { task_ids: taskIds } };
}

export type Json = Record<string, unknown>;

/** The payload of a result. */
export function payload(result: ToolResult | undefined): Json {
  if (result === undefined) throw new Error("there is no such result");
  try {
    return JSON.parse(result.text) as Json;
  } catch {
    throw new Error(`no JSON: ${result.text}`);
  }
}

/** The rows of a result of task_await, task_list or task_terminate. */
export function rows(result: ToolResult | undefined): Json[] {
  return payload(result)["tasks"] as Json[];
}

/** Lets the model make these calls in one turn; the results in their order. */
export async function callAll(pi: PiRpc, ...calls: Call[]): Promise<ToolResult[]> {
  pi.model.push([{ calls } satisfies Answer, { text: "end" }]);
  await pi.run("go on");
  return lastResults(pi, calls.length);
}

/** The same with one call. */
export async function call(pi: PiRpc, one: Call): Promise<ToolResult> {
  const [result] = await callAll(pi, one);
  if (result === undefined) throw new Error("the call has no result");
  return result;
}

/** The last results that the first model got. */
export function lastResults(pi: PiUnderTest, count: number): ToolResult[] {
  const request = pi.model.requests.findLast(({ modelId }) => modelId === pi.model.modelIds[0]);
  const ids = request?.toolResults.slice(-count).map(({ id }) => id) ?? [];
  return pi.toolResults().filter(({ id }) => ids.includes(id));
}

/** Starts a background task and gives its id. */
export async function startTask(pi: PiRpc, one: Call): Promise<string> {
  return String(payload(await call(pi, one))["taskId"]);
}

/** Waits until the model was told of the end of these tasks, in one run or in several, and has answered. */
export async function told(pi: PiRpc, ...taskIds: string[]): Promise<void> {
  const untold = new Set(taskIds);
  await pi.waitFor("message_end", (event) => {
    const text = JSON.stringify(event);
    if (text.includes("<task-notification>"))
      taskIds.filter((id) => text.includes(id)).forEach((id) => untold.delete(id));
    return untold.size === 0;
  });
  await pi.settled();
}
