// The tool task with kind "bash", in a real pi.
import { expect, test } from "vitest";
import { startPiJson, startPiRpc, type PiRpc } from "./harness/index.ts";
import {
  awaitTasks,
  background,
  call,
  callAll,
  command,
  list,
  payload,
  rows,
  startTask,
  UNIFIED,
  type Json,
} from "./unified.ts";

async function start(options: Partial<typeof UNIFIED> = {}): Promise<PiRpc> {
  return startPiRpc({ ...UNIFIED, ...options, script: [] });
}

test("a foreground command comes back without its output, exit code or script", async () => {
  const pi = await startPiJson({ ...UNIFIED, script: [command("echo out; echo err >&2; exit 2"), { text: "end" }] });
  await pi.finished();
  const [result] = pi.toolResults();
  expect(result).toMatchObject({ isError: false });
  const answer = payload(result);
  expect(answer).toMatchObject({ status: "completed", title: "A command", exitCode: 2 });
  expect(answer).not.toHaveProperty("taskId");
  expect(answer["reportMarkdown"]).toMatch(
    /^## A command\n\n```bash\necho out; echo err >&2; exit 2\n```\n\nExit code 2 · [\d.]+s\n\n```\nout\nerr\n```$/,
  );
  expect(result?.details).toEqual(answer);
});

// faults: truncated-flag-dropped, tail-with-error-dropped
test("a long output comes back without a word about what is missing, or without its end and exit code", async () => {
  const pi = await start();
  const answer = payload(await call(pi, command("seq 1 100000; echo FATAL; exit 7")));
  expect(answer).toMatchObject({ exitCode: 7, truncated: { reason: "output limit", totalLines: 100_001 } });
  const report = String(answer["reportMarkdown"]);
  expect(report).toContain("FATAL\n```");
  expect(report).toContain(
    `Output truncated (output limit, 100001 lines in all). Full output: ${String(answer["outputPath"])}`,
  );
  expect(report.match(/Exit code 7/g)).toHaveLength(1);
});

test("output with backticks closes its own fence", async () => {
  const pi = await start();
  const answer = payload(await call(pi, command("echo '````'")));
  expect(answer["reportMarkdown"]).toMatch(/`````bash\n.*\n`````\n[\s\S]*\n`````\n````\n`````$/);
});

test("what was printed before a timeout is lost, or a timeout counts milliseconds", async () => {
  const pi = await start();
  const [stopped, ended] = await callAll(
    pi,
    command("echo part; sleep 60", { timeout_secs: 0.5 }),
    command("echo whole", { timeout_secs: 1e12 }),
  );
  expect(payload(stopped)).toMatchObject({ status: "completed", timedOut: true });
  expect(payload(stopped)["reportMarkdown"]).toMatch(/Timed out[\s\S]*\npart\n/);
  expect(payload(ended)).toMatchObject({ status: "completed", exitCode: 0 });
});

test("a command is started although its arguments are wrong, or the error does not name each field", async () => {
  const pi = await start();
  const cases: [Json, RegExp][] = [
    [{ kind: "bash", script: "touch started" }, /timeout_secs: required[\s\S]*display_name: required/],
    [
      { kind: "bash", script: " ", timeout_secs: 0, display_name: "" },
      /script: must not be empty\n- timeout_secs: .*greater than 0\n- display_name: must/,
    ],
    [
      { kind: "bash", script: "touch started", timeout_secs: 5, display_name: "n", prompt: "p" },
      /prompt: not allowed for kind "bash"/,
    ],
    [
      { kind: "agent", prompt: "p", title: "t", script: "touch started" },
      /subagent_type: required[\s\S]*script: not allowed/,
    ],
    [{ prompt: "p" }, /subagent_type: required for kind "agent"\n- title: required/],
    [{ kind: "bash", script: "touch started", timeout_secs: 5, display_name: "n", cwd: "/" }, /cwd: unknown field/],
    [{ kind: "shell", script: "touch started" }, /kind: expected one of/],
  ];
  const results = await callAll(pi, ...cases.map(([args]) => ({ tool: "task", args })));
  results.forEach((result, index) => {
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(cases[index]?.[1] ?? /^$/);
  });
  expect(pi.home.exists("started")).toBe(false);
  const nulls = { prompt: null, title: null, subagent_type: null, run_in_background: null };
  expect(payload(await call(pi, command("echo ok", nulls)))).toMatchObject({ exitCode: 0 });
});

test("a permission extension is passed by, sees another command than the one that runs, or its redaction is undone", async () => {
  const pi = await start({ extensions: [...(UNIFIED.extensions ?? []), "__test__/pi/fixtures/command-policy.ts"] });
  const [blocked, rewritten, hidden, behind] = await callAll(
    pi,
    command("touch started # forbidden"),
    command("echo original"),
    command("echo s3cret; exit 3"),
    background("touch started # forbidden"),
  );
  for (const result of [blocked, behind]) {
    expect(result).toMatchObject({ isError: true });
    expect(result?.text).toContain("not with me");
  }
  expect(pi.home.exists("started")).toBe(false);
  expect(payload(rewritten)["reportMarkdown"]).toMatch(/```bash\necho rewritten\n```[\s\S]*```\nrewritten\n```$/);
  const report = String(payload(hidden)["reportMarkdown"]);
  expect(report).toMatch(/Exit code 3[\s\S]*```\n\[hidden\]\n```$/);
  expect(payload(hidden)).toMatchObject({ exitCode: 3 });
});

test("a message of the user does not move a command to the background, or what it has printed is lost", async () => {
  const pi = await start({
    files: { ...UNIFIED.files, "~/.pi/agent/extensions/picc-bash/config.json": '{"backgroundOnMessage":true}' },
  });
  pi.model.push([
    command("echo so far; touch begun; while [ ! -e over ]; do sleep 0.05; done; echo rest"),
    { text: "end" },
  ]);
  await pi.prompt("go");
  await pi.waitFor("tool_execution_update", (event) => JSON.stringify(event.partialResult).includes("so far"));
  await pi.prompt("hello", "steer");
  await pi.settled();
  const moved = payload(pi.toolResults()[0]);
  expect(moved).toMatchObject({ status: "running", output: "so far" });
  expect(moved["note"]).toMatch(/sent a message.*task_await/);
  pi.home.write("over", "");
  const [row] = rows(await call(pi, awaitTasks({ task_ids: [moved["taskId"]], min_completed: 1 })));
  expect(row).toMatchObject({ status: "completed", outcome: "exited", exitCode: 0, output: "so far\nrest" });
});

// faults: bg-timeout-ignored
test("a background command outlives its timeout, or is called something else than timed out", async () => {
  const pi = await start();
  const taskId = await startTask(pi, background("echo part; sleep 60", { timeout_secs: 0.5 }));
  const [row] = rows(await call(pi, awaitTasks({ task_ids: [taskId], min_completed: 1 })));
  expect(row).toMatchObject({ status: "completed", outcome: "timed_out", output: "part" });
  expect(rows(await call(pi, list("timed_out")))).toMatchObject([{ taskId, status: "timed_out", kind: "bash" }]);
});

test("a process that a command leaves running is not a task", async () => {
  const pi = await start();
  const answer = payload(await call(pi, command("sleep 600 & echo left")));
  expect(answer).toMatchObject({ status: "completed", exitCode: 0 });
  expect(answer["note"]).toMatch(/still running.*task_await with bash:/);
  const [row] = rows(await call(pi, list()));
  expect(row).toMatchObject({ taskId: answer["taskId"], status: "running" });
  const [ended] = rows(await call(pi, { tool: "task_terminate", args: { task_ids: [answer["taskId"]] } }));
  expect(ended).toEqual({ status: "terminated", taskId: answer["taskId"], terminatedTaskIds: [answer["taskId"]] });
});

test("the model is offered bash besides the tools that stand for it, or reads of it in the prompt", async () => {
  for (const toolName of ["bash", "Bash"]) {
    const env = { ...UNIFIED.env, PICC_BASH_TOOL_NAME: toolName };
    const pi = await startPiJson({ ...UNIFIED, env, script: [command("echo it runs"), { text: "end" }] });
    await pi.finished();
    const tasks = ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"];
    for (const request of pi.model.requests) {
      expect(request.tools.map(({ name }) => name).sort()).toEqual(
        [...tasks, "edit", "read", "task", "task_await", "task_list", "task_terminate", "write"].sort(),
      );
      expect(request.systemPrompt).not.toMatch(/TaskStop|Use bash|^- bash:/im);
    }
    expect(pi.toolResults()[0]?.text).toContain("it runs");
  }
});

test("the classic surface offers the unified tools, or the surface all lacks one of the two", async () => {
  const names = async (surface: string) => {
    const pi = await startPiJson({ ...UNIFIED, env: { PICC_TOOL_SURFACE: surface }, script: [{ text: "end" }] });
    await pi.finished();
    return pi.model.requests[0]?.tools.map(({ name }) => name) ?? [];
  };
  const classic = await names("classic");
  expect(classic.filter((name) => /^(task|bash|TaskStop)/.test(name))).toEqual(["bash", "TaskStop"]);
  expect(await names("all")).toEqual(
    expect.arrayContaining(["bash", "TaskStop", "task", "task_await", "task_list", "task_terminate"]),
  );
});
