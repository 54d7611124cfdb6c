// pi as a person has it: the real interface in a real terminal.
import { FAILURE_BOUND_MS, lookUntil } from "./bound.ts";
import { isLiving } from "./processes.ts";
import { type PiOptions, PiUnderTest, setStage, type Stage } from "./pi-under-test.ts";
import { Terminal } from "./tmux.ts";

export interface PiTuiOptions extends PiOptions {
  columns?: number;
  rows?: number;
}

/** How long pi may take to leave when it is told to. */
const END_BOUND_MS = 15_000;

export class PiTui extends PiUnderTest {
  readonly #terminal: Terminal;
  readonly #shellPid: number;

  constructor(stage: Stage, { columns = 110, rows = 40 }: PiTuiOptions) {
    super(stage);
    const { home, piArgs } = stage;
    const command = [process.execPath, ...piArgs];
    // TERM is the terminal's own to say.
    const env = Object.fromEntries(Object.entries(home.env).filter(([name]) => name !== "TERM"));
    this.#terminal = new Terminal({ folder: home.root, cwd: home.cwd, command, env, columns, rows });
    this.#shellPid = this.#terminal.shellPid();
  }

  get pid(): number {
    const pid = this.#terminal.pid();
    if (pid === undefined) throw new Error("pi has not been started yet");
    return pid;
  }

  screen(): string {
    return this.#terminal.screen();
  }

  /** The screen and all that was scrolled out of it. */
  history(): string {
    return this.#terminal.history();
  }

  /** Waits until the screen matches and gives it; the error shows the screen as it was instead. */
  async waitForText(wanted: string | RegExp, boundMs = FAILURE_BOUND_MS): Promise<string> {
    return this.#waitForScreen((screen) => matches(screen, wanted), `no ${String(wanted)} on the screen`, boundMs);
  }

  /** Waits until the screen no longer shows it. */
  async waitForNoText(unwanted: string | RegExp, boundMs = FAILURE_BOUND_MS): Promise<string> {
    return this.#waitForScreen(
      (screen) => !matches(screen, unwanted),
      `${String(unwanted)} stayed on the screen`,
      boundMs,
    );
  }

  /** Types a line and sends it, as soon as pi shows that it has read it. */
  async enter(line: string): Promise<void> {
    this.#terminal.type(line);
    await this.waitForText(line.slice(0, 40));
    this.#terminal.press("Enter");
  }

  type(text: string): void {
    this.#terminal.type(text);
  }

  /** Key names of tmux: `Enter`, `Escape`, `C-b`, `Up`, … */
  press(...keys: string[]): void {
    this.#terminal.press(...keys);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
  }

  signal(name: NodeJS.Signals): void {
    process.kill(this.pid, name);
  }

  /** The person closes the window: pi gets SIGHUP. From here on there is no screen and no exit code. */
  closeTerminal(): void {
    this.#terminal.close();
  }

  /** Exit code of pi; 128 + n after signal n. */
  async exited(boundMs = FAILURE_BOUND_MS): Promise<number> {
    const code = await lookUntil(() => this.#terminal.exitCode(), boundMs);
    if (code === undefined)
      throw new Error(`after ${boundMs} ms: pi has not ended. Screen:
${this.screen()}`);
    return code;
  }

  /** True as soon as pi itself is no more, however it ended; false when it still is after `boundMs`. */
  async gone(boundMs = FAILURE_BOUND_MS): Promise<boolean> {
    const pid = this.#terminal.pid();
    return pid === undefined || (await lookUntil(() => (isLiving(pid) ? undefined : true), boundMs)) === true;
  }

  protected override get ownPids(): number[] {
    return [this.pid, this.#shellPid];
  }

  protected override async endPi(): Promise<string[]> {
    const problems: string[] = [];
    if (!(await this.gone(0))) {
      // A signal is understood whatever pi is showing; no key is.
      this.signal("SIGTERM");
      if (!(await this.gone(END_BOUND_MS))) {
        problems.push(`pi went on for ${END_BOUND_MS} ms after SIGTERM`);
        this.signal("SIGKILL");
        await this.gone();
      }
    }
    this.#terminal.close();
    return problems;
  }

  async #waitForScreen(isIt: (screen: string) => boolean, complaint: string, boundMs: number): Promise<string> {
    const seen = await lookUntil(() => {
      // In this order: what pi drew before it ended is on the screen that is taken after.
      const ended = this.#terminal.exitCode() !== undefined;
      const screen = this.screen();
      return isIt(screen) ? { screen } : ended ? { ended } : undefined;
    }, boundMs);
    if (seen?.screen !== undefined) return seen.screen;
    throw new Error(`${seen?.ended ? "pi has ended" : `after ${boundMs} ms`}: ${complaint}:\n${this.screen()}`);
  }
}

/** Resolves when pi has drawn its editor and takes keys. */
export async function startPiTui(options: PiTuiOptions): Promise<PiTui> {
  const stage = await setStage({ ...options, args: ["--tui-mode", "regular", ...(options.args ?? [])] });
  const pi = new PiTui(stage, options);
  try {
    await pi.waitForText(stage.model.modelIds[0] ?? "");
  } catch (error) {
    await pi.stop().catch(() => undefined);
    throw error;
  }
  return pi;
}

function matches(screen: string, wanted: string | RegExp): boolean {
  return typeof wanted === "string" ? screen.includes(wanted) : wanted.test(screen);
}
