// How a process ends that has the addon in it: without a crash, not too early, not too late.
import { copyFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { canSeeProcesses, processesWithArgument, waitForNone } from "../pi/harness/processes.ts";
import { builtAddon } from "./core.ts";
import { forEachAtOnce, hostEnvironment, MANY_STARTS_BOUND_MS, runHost, temporaryFolder } from "./run-host.ts";

const AT_ONCE = 4;
const slow = { timeout: MANY_STARTS_BOUND_MS };

/** Runs the program so many times; every end has to be the same good one, and nothing may live on. */
async function expectGoodEnds(count: number, argsOf: (script: string) => string[], env: Record<string, string>) {
  const seconds = `6401.${process.pid}${count}`;
  const ends = new Map<string, number>();
  await forEachAtOnce(count, AT_ONCE, async () => {
    const { code, signal, stderr } = await runHost("exit-at-once.mjs", argsOf(`sleep ${seconds}`), env);
    const end = `${code ?? signal ?? "?"} ${stderr}`.trim();
    ends.set(end, (ends.get(end) ?? 0) + 1);
  });
  expect(Object.fromEntries(ends)).toEqual({ "0": count });
  if (canSeeProcesses) expect(await waitForNone(() => processesWithArgument(seconds), 5_000)).toEqual([]);
}

// crash-at-exit
test("a host crashes when it ends right after a start", slow, async () => {
  await expectGoodEnds(200, (script) => [script], hostEnvironment(temporaryFolder()));
});

test("a host crashes when it ends while a worker thread has a run", slow, async () => {
  await expectGoodEnds(40, (script) => [script, "worker"], hostEnvironment(temporaryFolder()));
});

test("a host crashes when two copies of the addon are in it", slow, async () => {
  const folder = temporaryFolder();
  const copy = path.join(folder, "copy.node");
  copyFileSync(builtAddon, copy);
  await expectGoodEnds(30, (script) => [script, "twice", copy], hostEnvironment(folder));
});

test("a worker thread that ends right after a start takes the host with it", slow, async () => {
  const seconds = `6402.${process.pid}`;
  const env = hostEnvironment(temporaryFolder());
  expect(await runHost("many-workers.mjs", [`sleep ${seconds}`, "200"], env)).toMatchObject({ code: 0, stderr: "" });
  if (canSeeProcesses) expect(await waitForNone(() => processesWithArgument(seconds), 5_000)).toEqual([]);
});

test("a process with an empty event loop ends before the command it waits for", async () => {
  const env = hostEnvironment(temporaryFolder());
  expect(await runHost("wait-for-run.ts", ["sleep 0.7; echo late", "foreground"], env)).toEqual({
    code: 0,
    signal: null,
    stdout: "answered: late\n",
    stderr: "",
  });
});

// print-mode-never-exits
test("a background run keeps a process alive that has nothing else to do", async () => {
  const seconds = `6403.${process.pid}`;
  const env = hostEnvironment(temporaryFolder());
  const end = await runHost("wait-for-run.ts", [`exec sleep ${seconds}`, "background"], env);
  expect(end).toEqual({ code: 0, signal: null, stdout: "started", stderr: "" });
  if (canSeeProcesses) expect(await waitForNone(() => processesWithArgument(seconds), 5_000)).toEqual([]);
});
