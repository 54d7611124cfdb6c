// Real pi against a scripted model, for tests. A test starts one, drives it, and looks at what the model and the person saw:
//
//   const pi = await startPiRpc({ extensions: ["dist/bash.js"], script: [{ tool: "bash", args: { command: "ls" } }] });
//   await pi.run("go");
//   expect(pi.toolResults()[0]?.text).toBe("…");
//
// Each start has its own home, temp folder, model server and mark. When the test has finished it is stopped, and the test
// fails if a process was left, the network was tried, or the script was wrong. Outside vitest, import the files themselves.
import { onTestFinished } from "vitest";
import { type PiOnce, type PiOnceOptions, startPiJson as startJson, startPiPrint as startPrint } from "./pi-once.ts";
import { type PiRpc, startPiRpc as startRpc } from "./pi-rpc.ts";
import { type PiTui, type PiTuiOptions, startPiTui as startTui } from "./pi-tui.ts";
import type { PiOptions, PiUnderTest } from "./pi-under-test.ts";

export { FAILURE_BOUND_MS, lookUntil } from "./bound.ts";
export { REPOSITORY_ROOT } from "./home.ts";
export type { ModelRequest } from "./model-request.ts";
export {
  canSeeProcesses,
  describeProcess,
  forceEnd,
  isSuspended,
  processesWithArgument,
  type SeenProcess,
  waitForNone,
} from "./processes.ts";
export { hasTmux } from "./tmux.ts";
export type { Script, Turn } from "./turn.ts";
export type { PiOnce, PiOnceOptions, PiOptions, PiRpc, PiTui, PiTuiOptions };

/** Events on standard output; ends after its prompts. */
export async function startPiJson(options: PiOnceOptions): Promise<PiOnce> {
  return stoppedAtTheEnd(await startJson(options));
}

/** The last answer on standard output; ends after its prompts. */
export async function startPiPrint(options: PiOnceOptions): Promise<PiOnce> {
  return stoppedAtTheEnd(await startPrint(options));
}

/** Lives until its input is closed; takes prompts and commands. */
export async function startPiRpc(options: PiOptions): Promise<PiRpc> {
  return stoppedAtTheEnd(await startRpc(options));
}

/** The interface of a person, in a terminal of its own. Needs tmux (`hasTmux`). */
export async function startPiTui(options: PiTuiOptions): Promise<PiTui> {
  return stoppedAtTheEnd(await startTui(options));
}

function stoppedAtTheEnd<P extends PiUnderTest>(pi: P): P {
  onTestFinished(async () => {
    if (!pi.isStopped) await pi.stop();
  });
  return pi;
}
