import { expect, test } from "vitest";
import { startPiJson, startPiRpc, type PiOptions, type Turn } from "./harness/index.ts";

const UNIFIED: Omit<PiOptions, "script"> = {
  extensions: ["dist/bash.js", "dist/tasks.js", "dist/unified.js"],
  env: { PICC_TOOL_SURFACE: "unified" },
};

function bash(script: string, more: Record<string, unknown> = {}): Turn {
  return { tool: "task", args: { kind: "bash", script, timeout_secs: 30, display_name: "A command", ...more } };
}

test("a foreground command comes back without its output, exit code or script", async () => {
  const pi = await startPiJson({ ...UNIFIED, script: [bash("echo out; exit 2"), { text: "end" }] });
  await pi.finished();
  const [result] = pi.toolResults();
  expect(result).toMatchObject({ isError: false });
  const answer = JSON.parse(result?.text ?? "") as Record<string, string>;
  expect(answer).toMatchObject({ status: "completed", title: "A command", exitCode: 2 });
  expect(answer["reportMarkdown"]).toMatch(
    /^## A command\n\n```bash\necho out; exit 2\n```\n\nExit code 2 · [\d.]+s\n\n```\nout\n```$/,
  );
});

test("a background command cannot be awaited, or its output is lost", async () => {
  const pi = await startPiRpc({
    ...UNIFIED,
    script: [
      bash("echo one; echo two; exit 3", { run_in_background: true }),
      (request) => ({
        tool: "task_await",
        args: { task_ids: [request.find(/"taskId":"(bash:\w+)"/)], min_completed: 1 },
      }),
      { text: "end" },
    ],
  });
  await pi.run("go");
  console.log(
    pi.toolResults(),
    pi.model.requests[0]?.tools.map((t) => t.name),
    pi.stderr,
  );
});

test("the model is offered bash besides the tools that stand for it, or reads of it in the prompt", async () => {
  const pi = await startPiJson({ ...UNIFIED, script: [bash("true"), { text: "end" }] });
  await pi.finished();
  for (const request of pi.model.requests) {
    expect(request.tools.map(({ name }) => name).sort()).toEqual([
      "TaskCreate",
      "TaskGet",
      "TaskList",
      "TaskUpdate",
      "edit",
      "read",
      "task",
      "task_await",
      "task_list",
      "task_terminate",
      "write",
    ]);
  }
  const prompt = pi.model.requests[0]?.messages[0]?.text ?? "";
  console.log(prompt.slice(0, 1800));
  expect(prompt).not.toMatch(/\bbash for\b|Use bash|TaskStop/);
});
