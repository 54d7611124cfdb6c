// A tree of processes of every kind that is hard to end, until it is verified to be gone.
import { spawnSync } from "node:child_process";
import type { Bench } from "../bench.ts";
import { Host } from "../host.ts";
import { forksEver } from "../machine.ts";
import { interleave, median } from "../measure.ts";
import { checkFact, checkRatio, formatMs } from "../table.ts";
import { compileProgram } from "../workspace.ts";
import { Tree } from "../tree.ts";

export const stopTree: Bench = async ({ workspace, rounds, quick }) => {
  const count = quick ? 50 : 1_000;
  const what = `stop a tree of ${count} processes (own groups, sessions, daemons, emptied environments), until verified empty`;
  const program = compileProgram(workspace, "tree");
  const killGroup = compileProgram(workspace, "kill_group");
  if (program === undefined || killGroup === undefined) return [{ what, skipped: "there is no C compiler (cc)" }];

  const foreman = await Host.start("foreman", workspace);
  const left = { foreman: [] as number[], native: [] as number[], node: [] as number[] };
  const forks: number[] = [];
  let crashes = 0;

  const stopBy = async (host: Host, who: "foreman" | "node", graceMs: number) => {
    const tree = new Tree(workspace, program, count);
    try {
      const { id } = await host.do("start", { command: tree.command });
      await tree.waitUntilReady();
      const forksBefore = forksEver();
      const ms = await host.do("stop", { id, graceMs });
      if (who === "foreman") forks.push(forksEver() - forksBefore);
      // Ours says that it is over; the other one only that it has sent its signals.
      left[who].push(who === "foreman" ? tree.countAlive() : await tree.countLeft());
      return ms;
    } finally {
      tree.end();
    }
  };
  const byGroup = () => {
    const tree = new Tree(workspace, program, count);
    const { stdout, status } = spawnSync(killGroup, [program, tree.fifo, String(count)], { encoding: "utf8" });
    tree.end();
    const [ns, alive] = stdout.trim().split(" ").map(Number);
    if (status !== 0 || ns === undefined || alive === undefined) throw new Error("kill_group failed");
    left.native.push(alive);
    return Promise.resolve(ns / 1e6);
  };
  try {
    const ms = await interleave(rounds, {
      native: byGroup,
      foreman: () => stopBy(foreman, "foreman", 0),
      polite: () => stopBy(foreman, "foreman", 2_000),
      treeKill: async () => {
        // A thousand `ps` at once can be more than the machine starts; the package lets that end its host.
        const node = await Host.start("node-spawn", workspace);
        try {
          return await stopBy(node, "node", 0);
        } catch {
          crashes++;
          return Number.POSITIVE_INFINITY;
        } finally {
          await node.close();
        }
      },
    });
    const leaves = (alive: number[]) => `leaves ${median(alive)} alive`;
    const [ours, theirs] = [median(ms.foreman), median(ms.treeKill)];
    return [
      {
        what,
        values: {
          "pi-foreman": `${formatMs(ours)} (TERM first: ${formatMs(median(ms.polite))})`,
          native: `\`kill(-pgid)\`: ${formatMs(median(ms.native))}, ${leaves(left.native)}`,
          "tree-kill": [
            Number.isFinite(theirs) ? `${formatMs(theirs)}, ${leaves(left.node)}` : "never done",
            ...(crashes > 0 ? [`crashed its host ${crashes} times`] : []),
          ].join(", "),
        },
        checks: [
          checkRatio(ours, median(ms.native), 2, "`kill(-pgid)` alone"),
          checkRatio(ours, theirs, 0.01, "tree-kill"),
          checkFact(
            Math.max(...left.foreman) === 0,
            "nobody left, seen from outside",
            `${Math.max(...left.foreman)} left`,
          ),
          // Others may start something meanwhile; in the quietest run nobody did. Behind each run's end the supervisor of the
          // next command is started.
          checkFact(
            Math.min(...forks) <= 1,
            "no helper process (at most the next supervisor)",
            `${Math.min(...forks)} processes started on the machine`,
          ),
        ],
      },
    ];
  } finally {
    await foreman.close();
  }
};
