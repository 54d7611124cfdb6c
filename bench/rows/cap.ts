// More output than a file may have: the file stops at the cap, the command does not notice, nor does the host.
import { closeSync, fstatSync, openSync, readSync, rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { GIB, MIB } from "../bench.ts";
import { Host } from "../host.ts";
import { checkFact, checkLimit, formatMs, formatNumber } from "../table.ts";
import { lackOfRoom } from "../workspace.ts";

/** The line that the core appends once. */
const MARKER = "\n[output truncated: exceeded 5GB disk cap]\n";

export const cap: Bench = async ({ workspace, quick }) => {
  const [through, capBytes] = quick ? [96 * MIB, 40 * MIB] : [12 * GIB, 5 * GIB];
  const what = quick ? "96 MiB through the pipe with a cap of 40 MiB" : "12 GiB through the pipe with a cap of 5 GiB";
  const lack = lackOfRoom(workspace, capBytes);
  if (lack !== undefined) return [{ what, skipped: lack }];
  const host = await Host.start("foreman", workspace);
  try {
    // Status 0 only if the command wrote all of it and nothing killed it.
    const command = `set -o pipefail; head -c ${through} /dev/zero | tr '\\0' x`;
    const idle = await host.observe(true, () => pause(quick ? 500 : 3_000));
    let [ms, problem] = [Number.NaN, "no output"];
    const busy = await host.observe(true, async () => {
      // The default cap is the real one.
      const captured = await host.do("capture", { command, expectedBytes: 0, ...(quick ? { capBytes } : {}) });
      ms = captured.ms;
      problem = whatIsWrong(captured.path, capBytes);
      rmSync(captured.path);
    });
    const later = (busy.loopDelayP99Ms ?? Number.NaN) - (idle.loopDelayP99Ms ?? Number.NaN);
    const growthMib = busy.peakGrowthKib / 1024;
    return [
      {
        what,
        values: { "pi-foreman": `${formatMs(ms)}, ${formatNumber(through / GIB / (ms / 1000))} GiB/s` },
        checks: [
          checkFact(problem === "", "file exactly cap + marker, command's exit status 0", problem),
          checkLimit(growthMib, 8, "MiB", "growth of the host in all"),
          checkLimit(later, 1, "ms", "event-loop delay p99 over idle"),
        ],
      },
    ];
  } finally {
    await host.close();
  }
};

function whatIsWrong(file: string, capBytes: number): string {
  const fd = openSync(file, "r");
  try {
    const size = fstatSync(fd).size;
    if (size !== capBytes + MARKER.length) return `${size} bytes`;
    const end = Buffer.alloc(MARKER.length + 1);
    readSync(fd, end, 0, end.length, capBytes - 1);
    return end.toString() === `x${MARKER}` ? "" : `ends with ${JSON.stringify(end.toString())}`;
  } finally {
    closeSync(fd);
  }
}
