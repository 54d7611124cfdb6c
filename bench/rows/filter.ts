// Reading a log back: a filter over all of it, and its last lines.
import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Bench, Setting } from "../bench.ts";
import { GIB, MIB } from "../bench.ts";
import { Host } from "../host.ts";
import type { Observation } from "../hosts/observation.ts";
import { interleave, median } from "../measure.ts";
import { checkFact, checkLimit, checkRatio, formatMs, type Row, type Skipped } from "../table.ts";
import { lackOfRoom } from "../workspace.ts";

/** Matches a few lines of each block. */
const PATTERN = "ERROR: task [0-9]+ failed";
const NOT_THERE = "the native core has no `read` and `tail` yet";

export const filter: Bench = async (setting) => [await filterRow(setting), await tailRow(setting)];

async function filterRow({ workspace, rounds, quick }: Setting): Promise<Row | Skipped> {
  const bytes = quick ? 64 * MIB : GIB;
  const what = `filter a ${quick ? "64 MiB" : "1 GiB"} log`;
  const lack = lackOfRoom(workspace, bytes);
  if (lack !== undefined) return { what, skipped: lack };
  const log = path.join(workspace.folder, "filter.log");
  writeLog(log, bytes);
  const host = await Host.start("foreman", workspace);
  try {
    const expected = Number(spawnSync("grep", ["-cE", PATTERN, log], { encoding: "utf8" }).stdout);
    const probe = await host.do("filter", { path: log, pattern: PATTERN });
    if (!probe) return { what, skipped: NOT_THERE };
    const ms = await interleave(rounds, {
      native: () => {
        const start = performance.now();
        spawnSync("grep", ["-cE", PATTERN, log]);
        return Promise.resolve(performance.now() - start);
      },
      foreman: async () => (await host.do("filter", { path: log, pattern: PATTERN }))?.ms ?? Number.NaN,
    });
    const delay = await interleave(rounds, {
      idle: async () => delayOf(await host.observe(true, () => pause(median(ms.foreman)))),
      busy: async () => delayOf(await host.observe(true, () => host.do("filter", { path: log, pattern: PATTERN }))),
    });
    const later = median(delay.busy) - median(delay.idle);
    return {
      what,
      values: { "pi-foreman": formatMs(median(ms.foreman)), native: `\`grep -cE\`: ${formatMs(median(ms.native))}` },
      checks: [
        checkRatio(median(ms.foreman), median(ms.native), 0.7, "`grep -cE`"),
        checkFact(probe.lines === expected, "the lines that grep finds", `${probe.lines} lines instead of ${expected}`),
        checkLimit(later, 1, "ms", "more event-loop delay than idle, p99"),
      ],
    };
  } finally {
    await host.close();
    rmSync(log);
  }
}

async function tailRow({ workspace, rounds, quick }: Setting): Promise<Row | Skipped> {
  const bytes = quick ? 128 * MIB : 4 * GIB;
  const what = `last 64 KiB of a ${quick ? "128 MiB" : "4 GiB"} log`;
  const lack = lackOfRoom(workspace, bytes);
  if (lack !== undefined) return { what, skipped: lack };
  const log = path.join(workspace.folder, "tail.log");
  const host = await Host.start("foreman", workspace);
  try {
    writeLog(log, bytes);
    const probe = await host.do("tail", { path: log, maxBytes: 65_536 });
    if (!probe) return { what, skipped: NOT_THERE };
    const holds: number[] = [];
    const ms = await interleave(Math.max(rounds, 20), {
      native: () => {
        const start = performance.now();
        spawnSync("tail", ["-c", "65536", log]);
        return Promise.resolve(performance.now() - start);
      },
      foreman: async () => {
        const tail = await host.do("tail", { path: log, maxBytes: 65_536 });
        holds.push(tail?.callMs ?? Number.NaN);
        return tail?.ms ?? Number.NaN;
      },
    });
    const ours = median(ms.foreman);
    return {
      what,
      values: { "pi-foreman": formatMs(ours), native: `\`tail -c\`: ${formatMs(median(ms.native))}` },
      checks: [checkLimit(ours, 2, "ms", "in all"), checkLimit(Math.max(...holds), 1, "ms", "holding the event loop")],
    };
  } finally {
    await host.close();
    rmSync(log, { force: true });
  }
}

function delayOf(observation: Observation): number {
  return observation.loopDelayP99Ms ?? Number.NaN;
}

/** Lines as a build prints them, a block of them over and over: written, not sparse. */
function writeLog(file: string, bytes: number): void {
  let block = "";
  for (let i = 0; block.length < 4 * MIB; i++) {
    block +=
      i % 10_000 === 9_999
        ? `ERROR: task ${i} failed with exit code 2\n`
        : `[${i}] compiled src/module-${i % 977}/index.ts in ${i % 89} ms\n`;
  }
  const whole = Buffer.from(block);
  const fd = openSync(file, "wx", 0o600);
  try {
    for (let left = bytes; left > 0;) left -= writeSync(fd, whole, 0, Math.min(left, whole.length));
  } finally {
    closeSync(fd);
  }
}
