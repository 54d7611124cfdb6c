// One command captured by everybody in turns; the base of every row about capture.
import { rmSync, statSync } from "node:fs";
import path from "node:path";
import { BareShell } from "./bare-shell.ts";
import { Host } from "./host.ts";
import type { ContestantName } from "./hosts/protocol.ts";
import { interleave, median } from "./measure.ts";
import { formatMs, type Check, type Row, type Skipped } from "./table.ts";
import { compileProgram, lackOfRoom } from "./workspace.ts";
import type { Setting } from "./bench.ts";

/** Median milliseconds. `native`: the command's own standard output is the file. */
interface CaptureTimes {
  native: number;
  foreman: number;
  node: number;
  picc: number;
}

/** A command to be captured, and what its times have to be. */
interface CaptureCase {
  what: string;
  command: string;
  expectedBytes: number;
  checks: (times: CaptureTimes) => Check[];
}

/** One row for each case. */
export async function captureRows(setting: Setting, cases: readonly CaptureCase[]): Promise<(Row | Skipped)[]> {
  const rows: (Row | Skipped)[] = [];
  for (const { what, command, expectedBytes, checks } of cases) {
    const skipped = lackForCapture(setting, expectedBytes);
    if (skipped !== undefined) {
      rows.push({ what, skipped });
      continue;
    }
    const times = await raceCapture(setting, command, expectedBytes);
    const { native, foreman, node, picc } = times;
    const values = {
      "pi-foreman": formatMs(foreman),
      native: formatMs(native),
      Node: formatMs(node),
      "picc-bash": formatMs(picc),
    };
    rows.push({ what, values, checks: checks(times) });
  }
  return rows;
}

/** Why captures cannot be compared here, if they cannot. */
function lackForCapture({ workspace }: Setting, expectedBytes: number): string | undefined {
  if (compileProgram(workspace, "spawn_timer") === undefined) return "there is no C compiler (cc)";
  return lackOfRoom(workspace, expectedBytes);
}

/** Runs the race. Every capture is checked to have `expectedBytes` and is removed before the next one. */
async function raceCapture(setting: Setting, command: string, expectedBytes: number): Promise<CaptureTimes> {
  const { workspace, rounds } = setting;
  const launcher = compileProgram(workspace, "spawn_timer");
  if (launcher === undefined) throw new Error("cc went away");
  const bare = new BareShell(launcher);
  const hosts: Record<ContestantName, Host> = {
    foreman: await Host.start("foreman", workspace),
    "node-spawn": await Host.start("node-spawn", workspace),
    "picc-bash": await Host.start("picc-bash", workspace),
  };
  const capturedBy = async (name: ContestantName) => {
    const { ms, path: file } = await hosts[name].do("capture", { command, expectedBytes });
    removeChecked(file, expectedBytes, name);
    return ms;
  };
  try {
    const times = await interleave(rounds, {
      native: async () => {
        const file = path.join(workspace.folder, "native.output");
        const ms = await bare.run(command, file);
        removeChecked(file, expectedBytes, "the command itself");
        return ms;
      },
      foreman: () => capturedBy("foreman"),
      node: () => capturedBy("node-spawn"),
      picc: () => capturedBy("picc-bash"),
    });
    const [native, foreman] = [median(times.native), median(times.foreman)];
    return { native, foreman, node: median(times.node), picc: median(times.picc) };
  } finally {
    bare.close();
    await Promise.all(Object.values(hosts).map((host) => host.close()));
  }
}

function removeChecked(file: string, expectedBytes: number, who: string): void {
  const { size } = statSync(file);
  rmSync(file);
  if (size !== expectedBytes) throw new Error(`${who} captured ${size} of ${expectedBytes} bytes`);
}
