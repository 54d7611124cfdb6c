// The demo in a terminal: pi's own interface, in this very terminal, for the person to watch and use.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type PiOptions, PiUnderTest, setStage, type Stage } from "../__test__/pi/harness/pi-under-test.ts";
import { printPromises } from "./promises.ts";
import { checkPromises, type KeptPromise, PROMPT } from "./story.ts";

/** What the terminal can do is known to the person's environment only. */
const TERMINAL_VARIABLES = ["TERM", "COLORTERM", "TERM_PROGRAM", "TMUX", "WT_SESSION", "NO_COLOR"];

class PiInThisTerminal extends PiUnderTest {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor(stage: Stage) {
    super(stage);
    this.#child = spawn(process.execPath, [...stage.piArgs, PROMPT], {
      cwd: stage.home.cwd,
      env: stage.home.env,
      stdio: "inherit",
    });
    this.#exited = once(this.#child, "exit");
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("pi could not be started");
    return this.#child.pid;
  }

  async exited(): Promise<void> {
    await this.#exited;
  }

  protected override async endPi(): Promise<string[]> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGTERM");
    await this.#exited;
    return [];
  }
}

/** Resolves when the person has left; false when the story was played to its end and a promise was not kept. */
export async function playInteractive(options: PiOptions): Promise<boolean> {
  const env = Object.fromEntries(TERMINAL_VARIABLES.flatMap((name) => entryOf(name)));
  const pi = new PiInThisTerminal(await setStage({ ...options, env: { ...env, ...options.env } }));
  // Ctrl+C and the like are for pi, which shares this terminal.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => undefined);
  let promises: KeptPromise[];
  try {
    await pi.exited();
    promises = await checkPromises(pi);
  } finally {
    await pi.stop();
  }
  if (pi.model.turnsLeft === 0) return printPromises(promises);
  process.stdout.write("\nYou left before the story was over. Nothing is left behind.\n");
  return true;
}

function entryOf(name: string): [string, string][] {
  const value = process.env[name];
  return value === undefined ? [] : [[name, value]];
}
