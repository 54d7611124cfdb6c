// The unified tools in a real pi: many awaits while nothing happens, and what an agent costs on top of the pi that it is.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { PiRpc } from "../../__test__/pi/harness/pi-rpc.ts";
import { setStage, type PiOptions, type Stage } from "../../__test__/pi/harness/pi-under-test.ts";
import type { Bench } from "../bench.ts";
import { interleave, median } from "../measure.ts";
import { checkLimit, checkRatio, formatMs, formatNumber, type Row } from "../table.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const AWAITS = 64;
/** Clock ticks per second in /proc; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

const OPTIONS: Omit<PiOptions, "script"> = {
  extensions: ["dist/bash.js", "dist/unified.js"],
  env: { PICC_TOOL_SURFACE: "unified" },
};

export const unified: Bench = async ({ rounds, quick }) => {
  const title = `${AWAITS} awaits at once, nothing happens: CPU of pi`;
  if (!existsSync(path.join(ROOT, "dist/unified.js"))) {
    return [{ what: title, skipped: "dist/unified.js is not built: npm run build:js" }];
  }
  return [await silentAwaits(title, quick ? 1_000 : 10_000), await launchAgent(quick ? 1 : Math.max(rounds, 9))];
};

async function silentAwaits(what: string, ms: number): Promise<Row> {
  const start = {
    kind: "bash",
    script: "exec sleep 600",
    timeout_secs: 600,
    display_name: "Silent",
    run_in_background: true,
  };
  const pi = new PiRpc(await setStage({ ...OPTIONS, script: [] }));
  try {
    pi.model.push([{ calls: Array.from({ length: AWAITS }, () => ({ tool: "task", args: start })) }, { text: "end" }]);
    await pi.run("start");
    // Each waits for all of them.
    pi.model.push([
      { calls: Array.from({ length: AWAITS }, () => ({ tool: "task_await", args: {} })) },
      { text: "end" },
    ]);
    await pi.prompt("wait");
    for (let count = 0; count < AWAITS; count++) {
      await pi.waitFor("tool_execution_start", (event) => event.toolName === "task_await");
    }
    // Until everything is compiled and collected that the start has left: most of the waits that matter take minutes.
    await pause(ms * 2);
    const before = cpuSeconds(pi.pid);
    await pause(ms);
    const share = ((cpuSeconds(pi.pid) - before) / ms) * 100_000;
    await pi.abort();
    await pi.settled();
    return {
      what,
      values: { "pi-foreman": `${formatNumber(share)} %` },
      checks: [checkLimit(share, 1, "%", "of a core")],
    };
  } finally {
    await pi.stop();
  }
}

async function launchAgent(rounds: number): Promise<Row> {
  const stage = await setStage({
    ...OPTIONS,
    script: { parent: [], child: [] },
    afterScript: { text: "The report." },
    files: { "~/.pi/agent/agents/child.md": "---\nname: child\ndescription: c\nmodel: scripted/child\n---\n" },
  });
  const pi = new PiRpc(stage);
  try {
    const ms = await interleave(rounds, {
      bare: () => timeBarePi(stage),
      ours: () => timeAgent(pi),
    });
    return {
      what: "a sub-agent with one answer, start to report",
      values: { "pi-foreman": formatMs(median(ms.ours)), native: `a pi of its own: ${formatMs(median(ms.bare))}` },
      checks: [checkRatio(median(ms.ours), median(ms.bare), 1.2, "the bare child pi")],
    };
  } finally {
    await pi.stop();
  }
}

async function timeAgent(pi: PiRpc): Promise<number> {
  const args = { subagent_type: "child", prompt: "Report", title: "Measured" };
  pi.model.push([{ tool: "task", args }, { text: "end" }], "parent");
  await pi.prompt("go");
  await pi.waitFor("tool_execution_start");
  const start = performance.now();
  const end = await pi.waitFor("tool_execution_end");
  const ms = performance.now() - start;
  await pi.settled();
  if (end.isError) throw new Error(`the agent failed: ${JSON.stringify(end.result)}`);
  return ms;
}

/** The same pi with the same extensions, started by Node. */
async function timeBarePi({ home, piArgs }: Stage): Promise<number> {
  const start = performance.now();
  const args = [...piArgs, "--mode", "json", "--print", "--no-session", "--model", "scripted/child", "Report"];
  const child = spawn(process.execPath, args, { cwd: home.cwd, env: home.env, stdio: ["ignore", "ignore", "inherit"] });
  await once(child, "exit");
  return performance.now() - start;
}

function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
