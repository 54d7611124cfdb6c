// task_await, in a real pi: every rule of docs/design/unified-tasks.md.
import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { expect, test } from "vitest";
import { startPiRpc, type PiRpc } from "./harness/index.ts";
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
  terminate,
  UNIFIED,
} from "./unified.ts";

/** Without notices: a task may end between two calls, and one that were announced then would be a run of its own. */
async function start(options: Partial<typeof UNIFIED> = {}): Promise<PiRpc> {
  return startPiRpc({ ...UNIFIED, env: { ...UNIFIED.env, PICC_BASH_NOTIFY: "0" }, ...options, script: [] });
}

async function startWithNotices(): Promise<PiRpc> {
  return start({ env: UNIFIED.env ?? {} });
}

test("output is given twice, or not at all, over several awaits", async () => {
  const pi = await startWithNotices();
  const taskId = await startTask(
    pi,
    background(
      "echo one; while [ ! -e go ]; do sleep 0.02; done; printf 'two\\r\\nthr'; while [ ! -e over ]; do sleep 0.02; done; printf 'ee'",
    ),
  );
  const one = awaitTasks({ task_ids: [taskId] });
  expect(rows(await call(pi, one))).toMatchObject([{ status: "running", taskId, output: "one" }]);
  pi.home.write("go", "");
  // faults: filter-on-fragments
  expect(rows(await call(pi, one))).toMatchObject([{ status: "running", output: "two" }]);
  const [silent] = rows(await call(pi, awaitTasks({ task_ids: [taskId], timeout_secs: 0 })));
  expect(silent).toMatchObject({ status: "running" });
  expect(silent).not.toHaveProperty("output");
  pi.model.push([one, { text: "end" }]);
  await pi.prompt("go on");
  await pi.waitFor("tool_execution_start");
  pi.home.write("over", "");
  await pi.settled();
  const [end] = rows(pi.toolResults().at(-1));
  expect(end).toMatchObject({
    status: "completed",
    outcome: "exited",
    exitCode: 0,
    output: "three",
    title: "A command",
  });
  expect(end?.["reportMarkdown"]).toMatch(/^## A command\n\n```bash\n[\s\S]*\n```\n\nExit code 0 · [\d.]+s$/);
  const [again] = rows(await call(pi, one));
  expect(again).not.toHaveProperty("output");
  expect({ ...again, output: "three" }).toEqual(end);
  expect(pi.taskNotifications()).toEqual([]);
});

test("a filter lets half lines through, keeps the wait although lines came, or ends it for lines that are dropped", async () => {
  const pi = await start();
  const kept = await startTask(
    pi,
    background(
      "printf 'wait'; touch begun; while [ ! -e go ]; do sleep 0.02; done; printf '…)\\nOK\\nwaiting\\n'; sleep 60",
    ),
  );
  const dropping = awaitTasks({ task_ids: [kept], filter: "^wait", filter_exclude: true });
  pi.home.write("go", "");
  expect(rows(await call(pi, dropping))).toMatchObject([{ status: "running", output: "OK" }]);
  const noisy = await startTask(
    pi,
    background("for i in $(seq 20); do echo noise $i; sleep 0.05; done; echo signal; sleep 60"),
  );
  const [included] = rows(await call(pi, awaitTasks({ task_ids: [noisy], filter: "signal" })));
  expect(included).toMatchObject({ status: "running" });
  expect(included).not.toHaveProperty("output");
  const [excluded] = rows(await call(pi, awaitTasks({ task_ids: [noisy], filter: "noise", filter_exclude: true })));
  expect(excluded).toMatchObject({ status: "running", output: "signal" });
  await call(pi, terminate(kept, noisy));
});

test("a wrong argument or id fails the whole call, or is not explained", async () => {
  const pi = await start();
  const taskId = await startTask(pi, background("echo hello; sleep 60"));
  // faults: not-found-vs-scope
  const ids = ["bash:nope", taskId, "bash:", "", "lonely", taskId];
  const found = rows(await call(pi, awaitTasks({ task_ids: ids })));
  expect(found).toMatchObject([
    { status: "not_found", taskId: "bash:nope", activeTaskIds: [taskId] },
    { status: "running", taskId, output: "hello" },
    { status: "error", taskId: "bash:", error: expect.stringContaining("is no task ID") as string },
    { status: "error", taskId: "" },
    { status: "error", taskId: "lonely" },
  ]);
  expect(found).toHaveLength(5);
  const [bad] = rows(await call(pi, awaitTasks({ task_ids: [taskId], filter: "a(b" })));
  expect(bad).toMatchObject({ status: "error", taskId });
  expect(bad?.["error"]).toMatch(/unclosed group/);
  const [backwards] = rows(await call(pi, awaitTasks({ task_ids: [taskId], filter: "(?<=a)b" })));
  expect(backwards?.["error"]).toMatch(/look-around/);
  const wrong = await callAll(
    pi,
    awaitTasks({ task_ids: [taskId], filter_exclude: true }),
    awaitTasks({ task_ids: [taskId], timeout_secs: -1 }),
    awaitTasks({ task_ids: [taskId], min_completed: 0 }),
    awaitTasks({ ids: [taskId] }),
  );
  expect(wrong.map(({ isError }) => isError)).toEqual([true, true, true, true]);
  expect(wrong[0]?.text).toMatch(/filter_exclude: needs filter/);
  await call(pi, terminate(taskId));
});

// faults: await-blocks-on-slowest
test("a wait for some of several tasks goes on until all have ended, or ends before", async () => {
  const pi = await start();
  const [quick, slow] = (await callAll(pi, background("echo q; exit 4"), background("echo s; sleep 60"))).map(
    (result) => String(payload(result)["taskId"]),
  );
  const [first, second] = rows(await call(pi, awaitTasks({ task_ids: [slow, quick], min_completed: 1 })));
  expect(first).toMatchObject({ status: "running", taskId: slow, output: "s" });
  expect(second).toMatchObject({ status: "completed", taskId: quick, exitCode: 4, outcome: "exited", output: "q" });
  // More than there are.
  const [ended] = rows(await call(pi, awaitTasks({ task_ids: [quick], min_completed: 9 })));
  expect(ended).toMatchObject({ status: "completed" });
  // Nothing named: those that run.
  const [rest] = rows(await call(pi, awaitTasks({ timeout_secs: 0 })));
  expect(rest).toMatchObject({ taskId: slow, status: "running" });
  await call(pi, terminate(String(slow)));
  expect(payload(await call(pi, awaitTasks()))).toEqual({ tasks: [], note: "Nothing is queued or running." });
});

test("two awaits at the same time give a line twice, or lose one", async () => {
  // As many as fit into one row, should an await come late.
  const LINES = 250;
  const pi = await start();
  const taskId = await startTask(
    pi,
    background(`for i in $(seq ${LINES}); do echo line $i; [ $((i % 25)) = 0 ] && sleep 0.05; done; sleep 60`),
  );
  const seen: string[] = [];
  while (seen.length < LINES) {
    const both = awaitTasks({ task_ids: [taskId], timeout_secs: 20 });
    const results = await callAll(pi, both, { ...both, args: { ...(both.args as object), timeout_secs: 0.2 } });
    for (const result of results) {
      const output = rows(result)[0]?.["output"];
      if (typeof output === "string") seen.push(...output.split("\n"));
    }
  }
  expect(seen.sort()).toEqual(Array.from({ length: LINES }, (_, index) => `line ${index + 1}`).sort());
  await call(pi, terminate(taskId));
}, 120_000);

test("a row is longer than its bounds, does not say what is missing, or lacks the end", async () => {
  const pi = await start();
  const taskId = await startTask(pi, background("seq 1 5000"));
  const [short] = rows(await call(pi, awaitTasks({ task_ids: [taskId], min_completed: 1 })));
  const lines = String(short?.["output"]).split("\n");
  expect(lines.length).toBeLessThanOrEqual(300);
  expect(lines[0]).toBe("1");
  expect(lines.at(-1)).toBe("5000");
  expect(short).toMatchObject({ truncated: { reason: "output limit", totalLines: 5000 } });
  expect(pi.home.read(String(short?.["outputPath"])).split("\n")).toHaveLength(5001);
  const line = "head -c 20000 /dev/zero | tr '\\0' x; echo";
  for (const [script, totalLines] of [
    [`for i in 1 2 3; do ${line}; done`, 3],
    [line, 1],
    // Read in two parts that do not fit together.
    [`${line}; touch first; while [ ! -e go ]; do sleep 0.02; done; ${line}`, 2],
  ] as const) {
    const wideId = await startTask(pi, background(script));
    if (totalLines === 2) {
      pi.model.push([awaitTasks({ task_ids: [wideId], min_completed: 1 }), { text: "end" }]);
      await pi.prompt("go");
      await expect.poll(() => pi.home.exists("first")).toBe(true);
      await pi.waitFor("tool_execution_start");
      pi.home.write("go", "");
      await pi.settled();
    } else await call(pi, awaitTasks({ task_ids: [wideId], min_completed: 1 }));
    const [wide] = rows(pi.toolResults().at(-1));
    expect(wide).toMatchObject({ truncated: { reason: "output limit", totalLines } });
    expect(wide?.["output"]).toMatch(/xxx$/);
    expect(Buffer.byteLength(String(wide?.["output"]))).toBeLessThanOrEqual(16 * 1024);
  }
});

test("an id of one's own that is no task, or of another kind, is said to be someone else's", async () => {
  const pi = await start();
  const ended = payload(await call(pi, command("seq 1 20000")));
  const foregroundId = `bash:${/(l\w{8})\.output$/.exec(String(ended["outputPath"]))?.[1]}`;
  const taskId = await startTask(pi, background("sleep 600"));
  const ids = [foregroundId, taskId.replace("bash:", "agent:")];
  const notFound = ids.map((id) => ({ status: "not_found", taskId: id, activeTaskIds: [taskId] }));
  expect(rows(await call(pi, awaitTasks({ task_ids: ids, timeout_secs: 0 })))).toEqual(notFound);
  expect(rows(await call(pi, terminate(...ids)))).toEqual(notFound);
  await call(pi, terminate(taskId));
});

// faults: await-ignores-user
test("a message of the user, queued before or during, waits for the await", async () => {
  const pi = await start();
  const taskId = await startTask(pi, background("sleep 600"));
  pi.model.push([awaitTasks({ task_ids: [taskId] }), { text: "end" }]);
  await pi.prompt("go");
  await pi.waitFor("tool_execution_start");
  await pi.prompt("hello", "steer");
  await pi.settled();
  const during = pi.toolResults().at(-1);
  expect(rows(during)).toMatchObject([{ status: "running", taskId, note: "interrupted" }]);
  // Before: the message is queued while an earlier turn's call runs, and comes after the last turn.
  pi.model.push([
    command("while [ ! -e go ]; do sleep 0.02; done"),
    awaitTasks({ task_ids: [taskId] }),
    { text: "end" },
  ]);
  await pi.prompt("go");
  await pi.waitFor("tool_execution_start", (event) => event.toolName === "task");
  await pi.prompt("again", "followUp");
  pi.home.write("go", "");
  await pi.settled();
  const before = pi
    .toolResults()
    .filter(({ tool }) => tool === "task_await")
    .at(-1);
  expect(rows(before)).toMatchObject([{ status: "running", note: "interrupted" }]);
  // Escape.
  pi.model.push([awaitTasks({ task_ids: [taskId] }), { text: "end" }]);
  await pi.prompt("go");
  await pi.waitFor("tool_execution_start", (event) => event.toolName === "task_await");
  await pi.abort();
  await pi.settled();
  const aborted = pi
    .toolResults()
    .filter(({ tool }) => tool === "task_await")
    .at(-1);
  expect(rows(aborted)).toMatchObject([{ status: "running", note: "interrupted" }]);
  await call(pi, terminate(taskId));
});

test("fruitless waits go on without a word, or full-length ones count", async () => {
  const pi = await startWithNotices();
  const taskId = await startTask(pi, background("sleep 600"));
  const look = awaitTasks({ task_ids: [taskId], timeout_secs: 0 });
  expect(payload(await call(pi, look))).not.toHaveProperty("note");
  expect(payload(await call(pi, look))).not.toHaveProperty("note");
  expect(payload(await call(pi, look))["note"]).toMatch(/3 awaits in a row.*Wait longer.*other work: you are told/);
  await call(pi, terminate(taskId));
  // Nothing is promised that is turned off.
  const quiet = await start();
  const quietId = await startTask(quiet, background("sleep 600"));
  const looks = await callAll(
    quiet,
    ...Array.from({ length: 3 }, () => awaitTasks({ task_ids: [quietId], timeout_secs: 0 })),
  );
  const notes = looks.map((result) => payload(result)["note"]).filter((note) => note !== undefined);
  expect(notes).toEqual([expect.stringMatching(/or do other work\.$/) as string]);
  await call(quiet, terminate(quietId));
});

test("a task started in the same turn cannot be awaited, or an ended task is announced as well", async () => {
  const pi = await startWithNotices();
  const [started, awaited] = await callAll(pi, background("echo together"), awaitTasks({ min_completed: 1 }));
  expect(payload(started)).toMatchObject({ status: "running" });
  const { taskId } = payload(started);
  expect(rows(awaited)).toMatchObject([{ status: "completed", taskId, output: "together" }]);
  // One that nobody awaits is announced, under the id that the model knows.
  await call(pi, background("while [ ! -e go ]; do sleep 0.02; done; exit 3"));
  pi.model.push([{ text: "told" }]);
  pi.home.write("go", "");
  await pi.settled();
  const notices = pi.taskNotifications().map(({ text }) => text);
  expect(notices).toHaveLength(1);
  expect(notices[0]).toMatch(/<task-id>bash:l\w{8}<\/task-id>.*<status>failed<\/status><exit-code>3/);
});

test("a hostile pattern on a long log holds up pi", async () => {
  const pi = await start();
  const file = createWriteStream(pi.home.resolve("long.log"));
  const block = `${"a".repeat(2000)}b\n`.repeat(500);
  for (let written = 0; written < 100; written++) if (!file.write(block)) await once(file, "drain");
  file.end();
  await once(file, "close");
  const taskId = await startTask(pi, background("cat long.log"));
  pi.model.push([awaitTasks({ task_ids: [taskId], min_completed: 1, filter: "^(a+)+$" }), { text: "end" }]);
  await pi.prompt("go");
  await pi.waitFor("tool_execution_start", (event) => event.toolName === "task_await");
  // While the pattern is asked of 100 MB, pi answers others.
  let slowestMs = 0;
  let answers = 0;
  const over = new AbortController();
  const settled = pi.settled().then(() => {
    over.abort();
  });
  while (!over.signal.aborted) {
    const startedAt = performance.now();
    await pi.send({ type: "get_state" });
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    answers++;
  }
  await settled;
  expect(answers).toBeGreaterThan(0);
  expect(slowestMs).toBeLessThan(5_000);
  const [row] = rows(pi.toolResults().at(-1));
  expect(row).toMatchObject({ status: "completed", exitCode: 0 });
  expect(row).not.toHaveProperty("output");
}, 120_000);

test("what a list says differs from what an await says", async () => {
  const pi = await start();
  const [ok, bad, killed] = (
    await callAll(pi, background("exit 0"), background("exit 9"), background("sleep 600"))
  ).map((result) => String(payload(result)["taskId"]));
  await call(pi, terminate(String(killed)));
  const awaited = rows(await call(pi, awaitTasks({ task_ids: [ok, bad, killed] })));
  const listed = rows(await call(pi, list("exited", "failed", "killed", "timed_out")));
  expect(listed.map((row) => [row["taskId"], row["status"], row["exitCode"]])).toEqual(
    awaited.map((row) => [row["taskId"], row["outcome"], row["exitCode"]]),
  );
  expect(listed.map((row) => row["status"])).toEqual(["exited", "exited", "killed"]);
  expect(rows(await call(pi, list()))).toEqual([]);
});

test("a look waits for a person who is asked whether another task may start", async () => {
  const pi = await start({ extensions: [...(UNIFIED.extensions ?? []), "__test__/pi/fixtures/slow-policy.ts"] });
  const running = await startTask(pi, background("echo here; sleep 600"));
  pi.model.push([
    {
      calls: [
        background("sleep 600 # ask"),
        awaitTasks({ task_ids: [running], timeout_secs: 0 }),
        awaitTasks({ timeout_secs: 0 }),
        awaitTasks({ timeout_secs: 0.5, min_completed: 1 }),
        list(),
      ],
    },
    { text: "end" },
  ]);
  await pi.prompt("go");
  for (let answered = 0; answered < 4; answered++) {
    const event = await pi.waitFor("tool_execution_end");
    expect(event.toolName).not.toBe("task");
    expect(JSON.stringify(event.result)).toContain(running);
  }
  pi.home.write("allowed", "");
  await pi.settled();
  const last = String(payload(pi.toolResults().findLast(({ text }) => text.includes("task_await with")))["taskId"]);
  await call(pi, terminate(running, last));
  expect(rows(await call(pi, list()))).toEqual([]);
});
