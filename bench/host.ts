// The bench's side of a host process: a Node process of its own, so that what one contestant costs is seen on it alone.
import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { type Deferred, defer } from "./deferred.ts";
import type { Answer, ContestantName, JobName, Jobs } from "./hosts/protocol.ts";
import type { Observation } from "./hosts/observation.ts";
import type { Workspace } from "./workspace.ts";

const PROGRAM = path.join(import.meta.dirname, "hosts/serve.ts");

export class Host {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Deferred<unknown>>();
  #lastNumber = 0;

  private constructor(child: ChildProcess) {
    this.#process = child;
    child.on("message", (message) => {
      this.#settle(message as Answer);
    });
    child.on("exit", (code, signal) => {
      const error = new Error(`a host process ended: ${signal ?? code ?? "?"}`);
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
  }

  /** Starts one and waits until it is ready. `heapMib`: how much its JavaScript heap holds. */
  static async start(name: ContestantName, workspace: Workspace, heapMib = 0): Promise<Host> {
    const folder = path.join(workspace.folder, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const child = fork(PROGRAM, [name, folder, String(heapMib)], {
      execArgv: [`--max-old-space-size=${heapMib + 2_048}`],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const host = new Host(child);
    await host.#expect(0);
    return host;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Has a job done. */
  async do<Name extends JobName>(job: Name, ask: Jobs[Name]["ask"]): Promise<Jobs[Name]["answer"]> {
    const number = ++this.#lastNumber;
    const answer = this.#expect(number);
    this.#process.send({ number, job, ask });
    return (await answer) as Jobs[Name]["answer"];
  }

  /** What the host notices of itself while `work` goes on. */
  async observe(withLoopDelay: boolean, work: () => Promise<unknown>): Promise<Observation> {
    await this.do("observe", { withLoopDelay });
    await work();
    return this.do("finishObservation", {});
  }

  /** Ends the process and waits for that. */
  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.disconnect();
    await ended;
  }

  #expect(number: number): Promise<unknown> {
    const waiting = defer<unknown>();
    this.#waiting.set(number, waiting);
    return waiting.promise;
  }

  #settle(message: Answer): void {
    const waiting = this.#waiting.get(message.number);
    this.#waiting.delete(message.number);
    if ("error" in message) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.answer);
  }
}
