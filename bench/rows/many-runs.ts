// Two hundred commands in the background at once: all of them end, each has its own exact output, and silence costs nothing.
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { MIB } from "../bench.ts";
import { Host } from "../host.ts";
import type { ContestantName } from "../hosts/protocol.ts";
import { interleave, median } from "../measure.ts";
import { checkFact, checkLimit, formatMs, formatNumber, type Row } from "../table.ts";

export const manyRuns: Bench = async ({ workspace, rounds, quick }) => {
  const count = quick ? 20 : 200;
  const hosts: Record<ContestantName, Host> = {
    foreman: await Host.start("foreman", workspace),
    "node-spawn": await Host.start("node-spawn", workspace),
    "picc-bash": await Host.start("picc-bash", workspace),
  };
  const wrong = { foreman: 0, "node-spawn": 0, "picc-bash": 0 };
  const captureAll = async (name: ContestantName) => {
    const commands = Array.from({ length: count }, (_, i) => `yes run ${i} | head -c ${MIB}`);
    const { ms, paths } = await hosts[name].do("captureAll", { commands, expectedBytes: MIB });
    wrong[name] += paths.filter((file, i) => hashOf(readFileSync(file)) !== hashOf(expectedOutput(i))).length;
    for (const file of paths) rmSync(file);
    return ms;
  };
  try {
    const ms = await interleave(rounds, {
      foreman: () => captureAll("foreman"),
      node: () => captureAll("node-spawn"),
      picc: () => captureAll("picc-bash"),
    });
    const exact = (name: ContestantName) => (wrong[name] === 0 ? "" : `, ${wrong[name]} outputs wrong`);
    const all: Row = {
      what: `${count} background runs of 1 MiB each at once`,
      values: {
        "pi-foreman": formatMs(median(ms.foreman)) + exact("foreman"),
        Node: formatMs(median(ms.node)) + exact("node-spawn"),
        "picc-bash": formatMs(median(ms.picc)) + exact("picc-bash"),
      },
      checks: [checkFact(wrong.foreman === 0, "all settle, exact output each", `${wrong.foreman} outputs wrong`)],
    };
    return [all, await silence(hosts.foreman, count, quick ? 500 : 5_000)];
  } finally {
    await Promise.all(Object.values(hosts).map((host) => host.close()));
  }
};

/** The host's CPU while all commands live and say nothing. */
async function silence(host: Host, count: number, ms: number): Promise<Row> {
  const started = [];
  for (let i = 0; i < count; i++) started.push(await host.do("start", { command: "exec sleep 600" }));
  const { cpuShare } = await host.observe(false, () => pause(ms));
  for (const { id } of started) await host.do("stop", { id, graceMs: 0 });
  return {
    what: `host CPU while ${count} background runs are silent`,
    values: { "pi-foreman": `${formatNumber(cpuShare * 100)} %` },
    checks: [checkLimit(cpuShare * 100, 1, "%", "of a core")],
  };
}

function expectedOutput(i: number): Buffer {
  return Buffer.alloc(MIB, `run ${i}\n`);
}

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
