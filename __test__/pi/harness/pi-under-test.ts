// What every way of running pi has in common: its home, its model, what the model saw, and the end without a trace.
import path from "node:path";
import { Home, type HomeOptions, MARK_VARIABLE, REPOSITORY_ROOT } from "./home.ts";
import {
  canSeeProcesses,
  describeProcess,
  forceEnd,
  processesWithin,
  processesWithVariable,
  waitForNone,
  type SeenProcess,
} from "./processes.ts";
import { type ModelOptions, ScriptedModel } from "./scripted-model.ts";
import { readSessions, type StoredSession } from "./session-files.ts";
import { type ArrivedMessage, arrivedMessages, taskNotifications, toolResults, type ToolResult } from "./transcript.ts";

export interface PiOptions extends ModelOptions, Omit<HomeOptions, "modelUrl" | "modelIds"> {
  /** Entry files, as `pi -e` takes them; relative ones are meant from the root of this repository. */
  extensions?: string[];
  /** Further arguments of pi. */
  args?: string[];
}

/** The parts that are there before pi is started. */
export interface Stage {
  model: ScriptedModel;
  home: Home;
  /** pi's arguments, the same in each mode. */
  piArgs: string[];
}

const PI_CLI = path.join(REPOSITORY_ROOT, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");

/** How long what pi has left behind may take to end by itself before it counts as left behind. */
const SURVIVOR_BOUND_MS = 5_000;

export async function setStage(options: PiOptions): Promise<Stage> {
  const model = await new ScriptedModel(options).start();
  const home = new Home({ ...options, modelUrl: model.url, modelIds: model.modelIds });
  const extensions = (options.extensions ?? []).flatMap((file) => ["-e", path.resolve(REPOSITORY_ROOT, file)]);
  return { model, home, piArgs: [PI_CLI, "--no-mcp", ...extensions, ...(options.args ?? [])] };
}

export abstract class PiUnderTest implements AsyncDisposable {
  readonly model: ScriptedModel;
  readonly home: Home;
  #stopped: Promise<void> | undefined;

  constructor({ model, home }: Stage) {
    this.model = model;
    this.home = home;
  }

  abstract get pid(): number;

  /** pi itself, and what the harness had to put around it. */
  protected get ownPids(): number[] {
    return [this.pid];
  }

  /** Asks pi to end in the usual way of its mode, then forces it; gives what went wrong, one line each. */
  protected abstract endPi(): Promise<string[]>;

  toolResults(): ToolResult[] {
    return toolResults(this.model.requests, this.sessions());
  }

  /** Everything the model was sent, each message once. */
  arrivedMessages(): ArrivedMessage[] {
    return arrivedMessages(this.model.requests);
  }

  /** The `<task-notification>` messages that reached the model. */
  taskNotifications(): ArrivedMessage[] {
    return taskNotifications(this.model.requests);
  }

  sessions(): StoredSession[] {
    return readSessions(this.home.agentDir);
  }

  /** What lives below this pi or was left by it, pi itself not counted. Linux only. */
  processes(): SeenProcess[] {
    const own = this.ownPids;
    return this.#allProcesses().filter(({ pid }) => !own.includes(pid));
  }

  /** Waits for `processes()` to be empty; gives those that are still there after `boundMs`. */
  async waitForNoProcess(boundMs: number): Promise<SeenProcess[]> {
    return waitForNone(() => this.processes(), boundMs);
  }

  /**
   * Ends pi and removes its home. Fails when pi did not end by itself, left a process, tried to reach the network, or the
   * script was wrong; nothing is left on the machine in that case either.
   */
  async stop(): Promise<void> {
    await (this.#stopped ??= this.#stop());
  }

  /** `stop()` was called: whoever called it has heard the complaints. */
  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stop(): Promise<void> {
    const problems = await this.endPi();
    await this.model.stop();
    problems.push(...this.model.scriptErrors.map((error) => `the script failed: ${error.message}`));
    problems.push(...this.home.networkAttempts().map((attempt) => `tried to reach the network: ${attempt}`));
    if (canSeeProcesses) {
      const survivors = await waitForNone(() => this.#allProcesses(), SURVIVOR_BOUND_MS);
      survivors.forEach(forceEnd);
      problems.push(...survivors.map((survivor) => `left running: ${describeProcess(survivor)}`));
    }
    this.home.remove();
    if (problems.length > 0) throw new Error(`pi did not end cleanly:\n${problems.join("\n")}`);
  }

  #allProcesses(): SeenProcess[] {
    const marked = processesWithVariable(MARK_VARIABLE, this.home.mark);
    const within = processesWithin(this.home.root).filter(({ pid }) => !marked.some((seen) => seen.pid === pid));
    return [...marked, ...within];
  }
}
