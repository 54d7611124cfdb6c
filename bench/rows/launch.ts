// The price of starting a command from a host that has been running for a while.
import { setTimeout } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { BareShell } from "../bare-shell.ts";
import { Host } from "../host.ts";
import type { ContestantName } from "../hosts/protocol.ts";
import { interleave, median, quantile } from "../measure.ts";
import { checkLimit, checkRatio, formatMs } from "../table.ts";
import { compileProgram } from "../workspace.ts";

const COMMAND = "true";
/** Between two commands, for everybody: an agent thinks longer. */
const PAUSE_MS = 10;

export const launch: Bench = async ({ workspace, rounds, quick }) => {
  const heapMib = quick ? 128 : 1_024;
  const perRound = quick ? 10 : 40;
  const what = `\`true\`, launch → result, from a host with ${heapMib} MiB in use`;
  const launcher = compileProgram(workspace, "spawn_timer");
  if (launcher === undefined) return [{ what, skipped: "there is no C compiler (cc)" }];

  const bare = new BareShell(launcher, heapMib);
  const foreman = await Host.start("foreman", workspace, heapMib);
  const node = await Host.start("node-spawn", workspace, heapMib);
  const picc = await Host.start("picc-bash", workspace, heapMib);
  const callMs: Record<ContestantName, number[]> = { foreman: [], "node-spawn": [], "picc-bash": [] };
  const measured = async (name: ContestantName, host: Host, times: number) => {
    const finished = await host.do("runForeground", { command: COMMAND, times, pauseMs: PAUSE_MS });
    callMs[name].push(...finished.map((f) => f.callMs));
    return median(finished.map((f) => f.ms));
  };
  try {
    const ms = await interleave(rounds, {
      native: async () => {
        const each: number[] = [];
        for (let i = 0; i < perRound; i++) {
          await setTimeout(PAUSE_MS);
          each.push(await bare.run(COMMAND));
        }
        return median(each);
      },
      foreman: () => measured("foreman", foreman, perRound),
      // So slow that fewer are enough.
      node: () => measured("node-spawn", node, Math.ceil(perRound / 4)),
      picc: () => measured("picc-bash", picc, Math.ceil(perRound / 4)),
    });
    const p99 = (name: ContestantName) => quantile(callMs[name], 0.99);
    return [
      {
        what,
        values: {
          "pi-foreman": formatMs(median(ms.foreman)),
          native: formatMs(median(ms.native)),
          Node: formatMs(median(ms.node)),
          "picc-bash": `${formatMs(median(ms.picc))} (runs sh)`,
        },
        checks: [
          checkRatio(median(ms.foreman), median(ms.node), 0.1, "`child_process.spawn`"),
          checkRatio(median(ms.foreman), median(ms.native), 1.6, "a bare posix_spawn of bash"),
        ],
      },
      {
        what: "event loop held by one launch, p99",
        values: {
          "pi-foreman": formatMs(p99("foreman")),
          Node: formatMs(p99("node-spawn")),
          "picc-bash": formatMs(p99("picc-bash")),
        },
        checks: [checkLimit(p99("foreman"), 0.2, "ms", "p99")],
      },
    ];
  } finally {
    bare.close();
    await Promise.all([foreman, node, picc].map((host) => host.close()));
  }
};
