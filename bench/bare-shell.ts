// The native case: bash started by a bare posix_spawn, its output straight into a file. Timed inside the C program.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import readline from "node:readline";

export class BareShell {
  readonly #launcher: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;

  /** `program` is the compiled spawn_timer; it fills `ballastMib` of memory first, so that its size is that of a busy host. */
  constructor(program: string, ballastMib = 0) {
    this.#launcher = spawn(program, [String(ballastMib)]);
    this.#launcher.stderr.resume();
    this.#answers = readline.createInterface(this.#launcher.stdout)[Symbol.asyncIterator]();
  }

  /** Milliseconds from before the spawn to after the wait. A script that fails is an error. */
  async run(script: string, outputPath = "/dev/null"): Promise<number> {
    if (/[\t\n]/.test(script)) throw new Error("the script has to be one line without tabs");
    this.#launcher.stdin.write(`${outputPath}\t${script}\n`);
    const answer = await this.#answers.next();
    const [ns, status] = answer.done ? [] : answer.value.split(" ").map(Number);
    if (ns === undefined || status !== 0)
      throw new Error(`spawn_timer: ${script} ended with wait status ${status ?? "?"}`);
    return ns / 1e6;
  }

  /** Ends the launcher. */
  close(): void {
    this.#launcher.stdin.end();
  }
}
