// pi as a child process with pipes: its events, its error output and its end.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { FAILURE_BOUND_MS, within } from "./bound.ts";
import { EventLog, type EventOf, type EventType, type PiEvent } from "./event-log.ts";
import { PiUnderTest, type Stage } from "./pi-under-test.ts";

export interface PiExit {
  /** `null` when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** How long each of pi's polite ends may take before the next, ruder one. */
const END_BOUND_MS = 15_000;

export abstract class PiChild extends PiUnderTest {
  /** All of standard output. */
  stdout = "";
  stderr = "";
  protected readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  protected readonly log = new EventLog();
  readonly #exit: Promise<PiExit>;
  #unfinishedLine = "";

  constructor(stage: Stage, modeArgs: string[]) {
    super(stage);
    const { home, piArgs } = stage;
    this.child = spawn(process.execPath, [...piArgs, ...modeArgs], {
      cwd: home.cwd,
      env: home.env,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#takeOutput(text);
    });
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    // A pi that is gone cannot be written to; who waits for its answer is told why by the log.
    this.child.stdin.on("error", () => undefined);
    this.#exit = this.#watchExit();
    this.#exit.catch(() => undefined);
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error("pi could not be started");
    return this.child.pid;
  }

  /** Everything pi has said so far, oldest first. */
  get events(): PiEvent[] {
    return this.log.events;
  }

  eventsOf<T extends EventType>(type: T): EventOf<T>[] {
    return this.log.of(type);
  }

  /** The next event of this type (and kind) after the one that was waited for last. */
  async waitFor<T extends EventType>(type: T, where?: (event: EventOf<T>) => boolean, boundMs?: number) {
    return this.log.waitFor(type, where, boundMs);
  }

  /** Any such event, one before the last that was waited for too. */
  async seen<T extends EventType>(type: T, where: (event: EventOf<T>) => boolean, boundMs?: number) {
    return this.log.find(type, where, boundMs);
  }

  /** The next end of a run: pi is idle and has handled everything. */
  async settled(boundMs?: number): Promise<EventOf<"agent_settled">> {
    return this.log.waitFor("agent_settled", undefined, boundMs);
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  async exited(boundMs = FAILURE_BOUND_MS): Promise<PiExit> {
    return within(this.#exit, boundMs, () => `pi has not ended. stderr:\n${this.stderr}`);
  }

  protected override async endPi(): Promise<string[]> {
    this.child.stdin.end();
    if (await this.#hasExited()) return [];
    this.signal("SIGTERM");
    if (await this.#hasExited()) return [`pi went on for ${END_BOUND_MS} ms after the end of its input`];
    this.signal("SIGKILL");
    await this.#exit;
    return [`pi went on for ${END_BOUND_MS} ms after SIGTERM`];
  }

  async #hasExited(): Promise<boolean> {
    return this.exited(END_BOUND_MS).then(
      () => true,
      () => false,
    );
  }

  async #watchExit(): Promise<PiExit> {
    // Not "close": a process that pi left behind may hold the pipes open.
    const [code, signal] = (await once(this.child, "exit")) as [number | null, NodeJS.Signals | null];
    this.log.end(new Error(`pi has ended (${signal ?? `exit code ${String(code)}`}). stderr:\n${this.stderr}`));
    return { code, signal };
  }

  /** Only "\n" ends a line: JSON may hold U+2028, at which readline would cut. */
  #takeOutput(text: string): void {
    this.stdout += text;
    const lines = (this.#unfinishedLine + text).split("\n");
    this.#unfinishedLine = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") this.takeLine(line);
  }

  /** What a line of standard output means in this mode; one JSON event unless overridden. */
  protected takeLine(line: string): void {
    this.log.add(parseEvent(line));
  }
}

function parseEvent(line: string): PiEvent {
  try {
    return JSON.parse(line) as PiEvent;
  } catch {
    return { type: "bad_line", line };
  }
}
