// Many runs in one process: each exit is seen, nothing is left over, nothing is mixed up.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { canSeeProcesses, lookUntil } from "../pi/harness/index.ts";
import { addon, endRun, eventOf, launch, runToEnd } from "./core.ts";
import { forEachAtOnce, MANY_STARTS_BOUND_MS, temporaryFolder } from "./run-host.ts";

/** So many wait for the next run (threads.rs), and how many of them the warm-up has made is a matter of luck. */
const KEPT_THREADS = 8;

const slow = { timeout: MANY_STARTS_BOUND_MS };

// sigchld-fight
test("exits are lost when Node and the core start processes at once", slow, async () => {
  const outputBase = temporaryFolder();
  const byCore = forEachAtOnce(200, 20, async (index) => {
    expect(await runToEnd(`fight-${index}`, "true", { outputBase })).toMatchObject({
      exit: { code: 0 },
      reason: "natural",
    });
  });
  const byNode = forEachAtOnce(200, 20, async () => {
    expect(await once(spawn("true", { stdio: "ignore" }), "exit")).toEqual([0, null]);
  });
  await Promise.all([byCore, byNode]);
  if (canSeeProcesses) expect(await lookUntil(() => (ownZombies().length === 0 ? true : undefined), 5_000)).toBe(true);
});

// handle-leak, fast-exit-race
test.runIf(canSeeProcesses)("each command leaves a descriptor or a thread in the host", slow, async () => {
  const outputBase = temporaryFolder();
  await forEachAtOnce(8, 8, (index) => printsItsNumber(`warm-${index}`, index, outputBase));
  const before = await steadyCount();
  await forEachAtOnce(1000, 8, (index) => printsItsNumber(`leak-${index}`, index, outputBase));
  const leaked = () => {
    const now = countOpen();
    return { fds: Math.max(0, Math.abs(now.fds - before.fds) - 2), threads: Math.max(0, now.threads - before.threads - KEPT_THREADS) };
  };
  const isBack = () => (leaked().fds === 0 && leaked().threads === 0 ? true : undefined);
  expect(await lookUntil(isBack, 5_000), JSON.stringify([before, countOpen()])).toBe(true);
  expect(addon.runs()).toEqual([]);
});

// native-run-never-settles
test("one of many silent or loud background runs never settles, or loses bytes", slow, async () => {
  const outputBase = temporaryFolder();
  const outputCapBytes = 256 * 1024;
  const streamBytes = 16 * 1024 * 1024;
  // All at once and all to their end; only a few of the files in full, so that this needs no gigabytes.
  const ids = Array.from({ length: 200 }, (_, index) =>
    launch(`loud-${index}`, `yes x | head -c ${streamBytes}`, {
      outputBase,
      foreground: false,
      ...(index % 50 > 0 && { outputCapBytes }),
    }),
  );
  const marker = "\n[output truncated: exceeded 5GB disk cap]\n";
  for (const [index, id] of ids.entries()) {
    expect(await eventOf(id, "ended")).toMatchObject({ exit: { code: 0 }, totalBytes: streamBytes });
    const file = path.join(outputBase, "session", "tasks", `${id}.output`);
    expect(statSync(file).size).toBe(index % 50 > 0 ? outputCapBytes + marker.length : streamBytes);
    await endRun(id);
  }
});

async function printsItsNumber(id: string, index: number, outputBase: string): Promise<void> {
  const exited = eventOf(launch(id, `printf ${index}`, { outputBase }), "shell-exited");
  expect(Buffer.from((await exited).snapshot.stdout.head).toString()).toBe(String(index));
  await eventOf(id, "ended");
  await endRun(id);
}

function countOpen(): { fds: number; threads: number } {
  return { fds: readdirSync("/proc/self/fd").length, threads: readdirSync("/proc/self/task").length };
}

/** The same twice in a row: what the warm-up used has been given back. */
async function steadyCount(): Promise<{ fds: number; threads: number }> {
  let last = countOpen();
  const steady = await lookUntil(() => {
    const now = countOpen();
    const same = now.fds === last.fds && now.threads === last.threads;
    last = now;
    return same ? now : undefined;
  }, 5_000);
  return steady ?? last;
}

function ownZombies(): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" && Number(parent) === process.pid;
    } catch {
      return false;
    }
  });
}
