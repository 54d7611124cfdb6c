// What pi itself notices while a command floods its output: CPU, event loop, memory; and what the supervisor needs.
import { rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { GIB, MIB } from "../bench.ts";
import { Host } from "../host.ts";
import type { ContestantName } from "../hosts/protocol.ts";
import { childrenOf, peakResidentKib } from "../machine.ts";
import { interleave, median } from "../measure.ts";
import { checkLimit, formatNumber } from "../table.ts";
import { lackOfRoom } from "../workspace.ts";

export const hostImpact: Bench = async ({ workspace, rounds, quick }) => {
  const bytes = quick ? 64 * MIB : 2 * GIB;
  const what = `while ${quick ? "64 MiB" : "2 GiB"} are captured`;
  const lack = lackOfRoom(workspace, bytes);
  if (lack !== undefined) return [{ what, skipped: lack }];
  const command = `yes | head -c ${bytes}`;
  const cpu = emptyResults();
  const delay = emptyResults();
  const growth = emptyResults();
  const shimKib: number[] = [];

  /** A fresh host each time: the most memory ever resident is known only for a whole life. */
  const observe = async (name: ContestantName) => {
    const host = await Host.start(name, workspace);
    const captured = async () => {
      const job = host.do("capture", { command, expectedBytes: bytes });
      if (name === "foreman") shimKib.push(await watchSupervisor(host, job));
      rmSync((await job).path);
    };
    try {
      const first = await host.observe(false, captured);
      const idle = await host.observe(true, () => pause(Math.max(300, first.wallMs)));
      const second = await host.observe(true, captured);
      cpu[name].push(first.cpuShare * 100);
      growth[name].push(first.peakGrowthKib / 1024 / (bytes / GIB));
      delay[name].push((second.loopDelayP99Ms ?? Number.NaN) - (idle.loopDelayP99Ms ?? Number.NaN));
      return first.wallMs;
    } finally {
      await host.close();
    }
  };
  await interleave(rounds, {
    foreman: () => observe("foreman"),
    node: () => observe("node-spawn"),
    picc: () => observe("picc-bash"),
  });
  const row = (title: string, of: Record<ContestantName, number[]>, unit: string, limit: number, name: string) => ({
    what: `${title} ${what}`,
    values: {
      "pi-foreman": `${formatNumber(median(of.foreman))} ${unit}`,
      Node: `${formatNumber(median(of["node-spawn"]))} ${unit}`,
      "picc-bash": `${formatNumber(median(of["picc-bash"]))} ${unit}`,
    },
    checks: [checkLimit(median(of.foreman), limit, unit, name)],
  });
  return [
    row("host CPU", cpu, "%", 1, "of a core"),
    row("event-loop delay p99 over idle", delay, "ms", 1, "over idle"),
    row("growth of the host's memory per GiB", growth, "MiB", 1, "per GiB, page noise"),
    {
      what: `supervisor's peak memory ${what}`,
      values: { "pi-foreman": `${formatNumber(median(shimKib) / 1024)} MiB` },
      checks: [checkLimit(median(shimKib) / 1024, 3, "MiB", "resident")],
    },
  ];
};

function emptyResults(): Record<ContestantName, number[]> {
  return { foreman: [], "node-spawn": [], "picc-bash": [] };
}

/** Peak resident KiB of the supervisor, the only child that our host has, looked at until `job` is done. */
async function watchSupervisor(host: Host, job: Promise<unknown>): Promise<number> {
  let [kib, over] = [0, false];
  const stop = () => (over = true);
  void job.then(stop, stop);
  while (!over) {
    kib = Math.max(kib, ...childrenOf(host.pid).map((child) => peakResidentKib(child) ?? 0));
    await pause(20);
  }
  return kib;
}
