import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Check } from "typebox/value";
import { expect, test, vi } from "vitest";
import { stopTask } from "../../src/runs/stop.ts";
import { withSlashes } from "../../src/runs/output-paths.ts";
import { bashOutputSchema } from "../../src/schema/bash.ts";
import { bash, processesWith, taskIdOf, textOf, useBench, waitForEnd, waitForEvent, waitForText } from "./runs.ts";

const bench = useBench();

/** Time for a shell to print something; on Windows each goes through the login files of Git first. */
const SHORT_MS = process.platform === "win32" ? 15_000 : 300;
const SHORT = `${Math.floor(SHORT_MS / 1000)}s`;

test.each([
  ["echo out; echo err >&2; exit 3", "out\nerr\nExit code 3", 3],
  ["true", "(no output)", 0],
  ["kill -9 $$", "Exit code 137", 137],
  ["kill -TERM $$", "Exit code 143", 143],
  ["echo out; exit 2", "out\nExit code 2", 2],
  // output-twice-on-error, sh-is-not-bash
  ["[[ a == a ]] && echo ok; cat <(echo y)", "ok\ny", 0],
  // stdin-left-open-fg
  ["cat; echo rc=$?", "rc=0", 0],
  // heredoc-terminator-glued
  ["cat <<'EOF'\nbody\nEOF", "body", 0],
])("%s answers otherwise", async (command, text, exitCode) => {
  const result = await bash(bench, { command });
  expect(textOf(result)).toBe(text);
  expect(result.isError).toBe(exitCode !== 0);
  expect(result.details).toMatchObject({ exitCode });
  expect(result.structuredContent).toMatchObject({ exit_code: exitCode, truncated: false });
});

test("an answered command stays in memory", async () => {
  await bash(bench, { command: "echo gone" });
  for (const run of bench.registry.alive()) await waitForEnd(bench, run.id);
  await Promise.resolve();
  expect(bench.registry.list()).toEqual([]);
  expect(bench.addon.runs()).toEqual([]);
});

test("parallel calls mix their output or lose some of it", async () => {
  // late-flush-under-load, sibling-cancel
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, index) => bash(bench, { command: `echo begin${index}; head -c 25000 /dev/zero | tr '\\0' x; exit ${index % 3}` })),
  );
  for (const [index, result] of results.entries()) {
    expect(result.details.exitCode).toBe(index % 3);
    expect(textOf(result)).toContain(`begin${index}\n${"x".repeat(25_000)}`);
  }
});

test("a timeout leaves something running, or loses what was printed", async () => {
  // timeout-kills-shell-only
  const command = "echo part; sleep 3331.5 & sleep 3332.5 | cat";
  const result = await bash(bench, { command, timeout: SHORT_MS });
  expect(textOf(result)).toBe(`part\nCommand timed out after ${SHORT}`);
  expect(result).toMatchObject({ isError: true, details: { timedOut: true, timeoutMs: SHORT_MS } });
  expect(processesWith("sleep 333")).toEqual([]);
});

test("a command that ignores TERM outlives its timeout", async () => {
  const result = await bash(bench, { command: "trap '' TERM; echo on; sleep 3341.5", timeout: SHORT_MS }, { config: { graceMs: 300 } });
  expect(textOf(result)).toBe(`on\nCommand timed out after ${SHORT}`);
  expect(processesWith("sleep 3341")).toEqual([]);
});

test("an abort waits for a command that ignores TERM", async () => {
  const controller = new AbortController();
  let abortedAt = 0;
  const result = await bash(
    bench,
    { command: "trap '' TERM; echo on; while :; do sleep 0.2; done" },
    {
      signal: controller.signal,
      onUpdate: (text) => {
        if (!text.includes("on") || abortedAt > 0) return;
        abortedAt = performance.now();
        controller.abort();
      },
    },
  );
  expect(performance.now() - abortedAt).toBeLessThan(1_000);
  expect(textOf(result)).toBe("on\n<error>Command was aborted before completion</error>");
  expect(result).toMatchObject({ isError: true, details: { aborted: true } });
  // The rest of the grace goes on behind the answer.
  const [run] = bench.registry.alive();
  if (run !== undefined) await waitForEnd(bench, run.id);
  expect(bench.registry.runningInBackground()).toEqual([]);
});

test("an abort of a polite command waits for the grace", async () => {
  const controller = new AbortController();
  const result = await bash(
    bench,
    { command: "echo on; sleep 3351.5" },
    { signal: controller.signal, config: { graceMs: 60_000 }, onUpdate: (text) => {
        if (text.includes("on")) controller.abort();
      } },
  );
  expect(textOf(result)).toBe("on\n<error>Command was aborted before completion</error>");
  expect(processesWith("sleep 3351")).toEqual([]);
});

test("an aborted signal still starts the command", async () => {
  // abort-before-spawn
  const file = path.join(bench.cwd, "started");
  for (const run_in_background of [false, true]) {
    const result = await bash(bench, { command: `touch '${withSlashes(file)}'`, run_in_background }, { signal: AbortSignal.abort() });
    expect(textOf(result)).toBe("<error>Command was aborted before completion</error>");
  }
  expect(existsSync(file)).toBe(false);
});

test("an interruption ends the command", async () => {
  const controller = new AbortController();
  const result = await bash(
    bench,
    { command: "echo before; sleep 0.4; echo after" },
    { signal: controller.signal, onUpdate: (text) => {
        if (text.includes("before")) controller.abort("interrupt");
      } },
  );
  const id = taskIdOf(result);
  expect(textOf(result)).toMatch(/^before\nCommand was interrupted and moved to the background with ID: l[a-z0-9]{8}\. Output is/);
  expect(result).toMatchObject({ isError: false, details: { interrupted: true } });
  const run = bench.registry.get(id);
  await waitForEnd(bench, id);
  // Same process, same file, nothing lost or doubled.
  expect(readFileSync(run?.outputPath ?? "", "utf8")).toBe("before\nafter\n");
  expect(run).toMatchObject({ state: "completed", exit: { code: 0 } });
});

test("a timeout that should move the command ends it", async () => {
  // timeout-turns-into-background
  const config = { onTimeout: "background" as const };
  const result = await bash(bench, { command: "echo a; exec sleep 3361.5", timeout: SHORT_MS }, { config });
  const id = taskIdOf(result);
  expect(textOf(result)).toBe(
    `a\nCommand timed out after ${SHORT} and was moved to the background with ID: ${id}. Output is being written to: ${bench.registry.get(id)?.outputPath ?? ""}\nIt is still running. TaskStop with this ID stops it.`,
  );
  expect(await stopTask(bench.registry, id, { graceMs: 2000 })).toMatchObject({ kind: "stopped" });
  const slept = await bash(bench, { command: "sleep 3362.5", timeout: 100 }, { config });
  expect(textOf(slept)).toBe("Command timed out after 0s");
  const disabled = { ...config, backgroundEnabled: false };
  expect(textOf(await bash(bench, { command: "exec sleep 3363.5", timeout: 100 }, { config: disabled }))).toBe("Command timed out after 0s");
});

// On Windows the supervisor is a thread of this process.
test.skipIf(process.platform === "win32")("a command whose supervisor was killed is said to have printed nothing", async () => {
  const go = path.join(bench.cwd, "go");
  const answer = bash(bench, { command: `echo printed; until [ -e '${go}' ]; do sleep 0.02; done; kill -9 $PPID; sleep 3365.5` });
  // One that was aborted before may still be ending.
  const run = bench.registry.inForeground().at(-1);
  const { outputPath } = await waitForEvent(bench, run?.id ?? "", "started");
  await waitForText(outputPath, "printed");
  writeFileSync(go, "");
  const result = await answer;
  expect(textOf(result)).toBe(
    `(no output)\n<error>The supervisor of this command was lost: how the command ended is not known. What it printed is in: ${outputPath}</error>`,
  );
  expect(result.isError).toBe(true);
  expect(result.details).not.toHaveProperty("exitCode");
  expect(processesWith("sleep 3365")).toEqual([]);
});

test("what a command leaves running is lost", async () => {
  // ampersand-jobs-leak, group-leader-gone
  const result = await bash(bench, { command: "sleep 3371.5 & echo spawned" });
  const id = taskIdOf(result);
  const run = bench.registry.get(id);
  expect(textOf(result)).toBe(
    `spawned\nProcesses started by this command are still running with ID: ${id}. Output is being written to: ${run?.outputPath ?? ""}`,
  );
  expect(result).toMatchObject({ isError: false, details: { exitCode: 0, backgroundTaskId: id } });
  expect(bench.registry.runningInBackground().map((task) => task.id)).toEqual([id]);
  expect(await stopTask(bench.registry, id, { graceMs: 2000 })).toEqual({ kind: "stopped", id, command: "sleep 3371.5 & echo spawned" });
  expect(run?.state).toBe("killed");
  expect(processesWith("sleep 3371")).toEqual([]);
});

test("a folder that is gone breaks the tool, or is taken for a missing shell", async () => {
  // enoent-blames-shell
  const gone = path.join(bench.cwd, "gone");
  const result = await bash(bench, { command: "true" }, { cwd: gone });
  expect(textOf(result)).toContain(gone);
  expect(result).toMatchObject({ isError: true, details: { error: "CWD_MISSING" } });
  expect(textOf(await bash(bench, { command: "echo next" }))).toBe("next");
  expect(bench.registry.list().filter((run) => run.exit === undefined)).toEqual([]);
});

test("a command that cannot be meant is run or crashes the host", async () => {
  const nul = await bash(bench, { command: "echo a\0b" });
  expect(nul).toMatchObject({ isError: true, details: { error: "BAD_REQUEST" } });
  const huge = await bash(bench, { command: `#${"x".repeat(5 * 1024 * 1024)}` });
  expect(huge).toMatchObject({ isError: true, details: { error: "BAD_REQUEST" } });
  expect(textOf(await bash(bench, { command: `: ${"x".repeat(140_000)}; echo long` }))).toBe("long");
});

test("live output is late, or tells the same twice", async () => {
  const updates: string[] = [];
  await bash(bench, { command: "for i in 1 2 3; do echo $i; sleep 0.3; done" }, { onUpdate: (text) => updates.push(text) });
  const told = updates.filter((text) => text !== "");
  expect(told[0]).toBe("1");
  expect(told.at(-1)).toBe("1\n2\n3");
  expect(new Set(told).size).toBe(told.length);
});

test("the user's prefix is shown as part of the command, or not run", async () => {
  const result = await bash(bench, { command: "echo $FROM_PREFIX" }, { prefix: "FROM_PREFIX=yes" });
  expect(textOf(result)).toBe("yes");
});

test("a long output loses its end or its file", async () => {
  const result = await bash(bench, { command: "seq 1 100000; echo FATAL; exit 1" });
  expect(textOf(result)).toMatch(/\n100000\nFATAL\nExit code 1$/);
  const file = result.details.fullOutputPath ?? "";
  expect(textOf(result)).toContain(`omitted. Full output: ${file}] ...`);
  expect(readFileSync(file, "utf8")).toMatch(/\nFATAL\n$/);
  const shown = textOf(result).split("\n").filter((line) => /^\d+$/.test(line)).length;
  expect(textOf(result)).toContain(`[${100_000 - shown} lines, `);
});

test("a limit of 150000 characters shows less", async () => {
  const result = await bash(bench, { command: "for i in $(seq 100000); do printf '\\xe4\\xbd\\xa0'; done" }, { config: { maxOutputChars: 150_000 } });
  expect(textOf(result)).toBe("你".repeat(100_000));
});

// On Windows a command is read from a file, and without a place for it there is none.
test.skipIf(process.platform === "win32")("an output folder that cannot be written to hides the output", async () => {
  // empty-output-on-capture-fault
  // The second is what Windows looks at. Below a file there can be no folder.
  for (const name of ["TMPDIR", "TEMP"]) vi.stubEnv(name, path.join(import.meta.filename, "none"));
  try {
    const result = await bash(bench, { command: "echo hi" });
    expect(textOf(result)).toBe("hi");
    expect(result.details.captureError).toBeDefined();
  } finally {
    vi.unstubAllEnvs();
  }
});

test("an output folder that was removed is not made again", async () => {
  // tmpdir-ignored
  rmSync(bench.outputBase, { recursive: true, force: true });
  mkdirSync(path.dirname(bench.outputBase), { recursive: true });
  const result = await bash(bench, { command: "echo again", run_in_background: true });
  const run = bench.registry.get(taskIdOf(result));
  await waitForEnd(bench, taskIdOf(result));
  expect(readFileSync(run?.outputPath ?? "", "utf8")).toBe("again\n");
});

// There are no links without a right of their own on Windows.
test.skipIf(process.platform === "win32")("another bash than the usual one runs the command without a word", async () => {
  const other = path.join(bench.cwd, "bash");
  symlinkSync("/bin/bash", other);
  const result = await bash(bench, { command: "echo hi" }, { shellPath: other });
  expect(result).toMatchObject({ content: [{ text: "hi" }], details: { shell: other } });
  expect((await bash(bench, { command: "echo hi" })).details).not.toHaveProperty("shell");
});

test("what another tool reads of a result is not what the output schema promises", async () => {
  const whole = await bash(bench, { command: "echo hi; exit 3" });
  expect(whole.structuredContent).toEqual({
    output: "hi",
    truncated: false,
    exit_code: 3,
    wall_time_seconds: expect.any(Number) as number,
  });
  const cut = await bash(bench, { command: "seq 2000; sleep .2" }, { config: { maxOutputChars: 100 } });
  expect(cut.structuredContent).toEqual({
    output: expect.stringMatching(/^1\n[^]*omitted[^]*\n2000$/) as string,
    truncated: true,
    full_output_path: cut.details.fullOutputPath,
    exit_code: 0,
    wall_time_seconds: expect.any(Number) as number,
  });
  expect((cut.structuredContent as { wall_time_seconds: number }).wall_time_seconds).toBeGreaterThanOrEqual(0.2);
  for (const { structuredContent } of [whole, cut]) expect(Check(bashOutputSchema, structuredContent)).toBe(true);
});
