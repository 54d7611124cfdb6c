// A private tmux server: a real terminal of known size for one program. No other tmux server is touched.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

export interface TerminalOptions {
  /** For the socket and the two files below; short, as socket paths end at about 100 bytes. */
  folder: string;
  cwd: string;
  command: string[];
  env: Record<string, string>;
  columns: number;
  rows: number;
}

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

/**
 * Starts the program as an interactive shell would, as a child in the foreground, and writes down its pid and its exit code:
 * tmux 3.3 misses the end of a program now and then, and the program stays a zombie without a status.
 */
const SHELL_SCRIPT = `sh -c 'echo $$ > "$0"; exec "$@"' "$@"; echo $? > "$0"`;

export class Terminal {
  readonly #socket: string;
  readonly #pidFile: string;
  readonly #exitCodeFile: string;

  constructor(options: TerminalOptions) {
    this.#socket = path.join(options.folder, "tmux");
    this.#pidFile = path.join(options.folder, "terminal.pid");
    this.#exitCodeFile = path.join(options.folder, "terminal.exit");
    const variables = Object.entries(options.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const size = ["-x", String(options.columns), "-y", String(options.rows)];
    const shell = ["sh", "-c", SHELL_SCRIPT, this.#exitCodeFile, this.#pidFile, ...options.command];
    // The screen stays readable after the program has ended.
    const keep = ["set-option", "-g", "remain-on-exit", "on", ";", "set-option", "-s", "extended-keys", "on", ";"];
    const session = ["new-session", "-d", "-s", "pi", ...size, "-c", options.cwd, ...variables];
    this.#tmux(["-f", os.devNull, "start-server", ";", ...keep, ...session, "--", ...shell]);
  }

  /** Of the program; `undefined` until it is started. */
  pid(): number | undefined {
    return readNumber(this.#pidFile);
  }

  /** Of the shell that started it. */
  shellPid(): number {
    return Number(this.#tmux(["display-message", "-p", "-t", "pi", "#{pane_pid}"]));
  }

  /** What a person sees, trailing blanks cut. */
  screen(): string {
    return this.#tmux(["capture-pane", "-p", "-t", "pi"]);
  }

  /** The screen and everything that was scrolled out of it; long lines are joined again. */
  history(): string {
    return this.#tmux(["capture-pane", "-p", "-J", "-S", "-", "-t", "pi"]);
  }

  /** Types the text as it is; "Enter" and the like are for `press`. */
  type(text: string): void {
    this.#tmux(["send-keys", "-t", "pi", "-l", "--", text]);
  }

  /** Key names of tmux: `Enter`, `Escape`, `C-b`, `Up`, … */
  press(...keys: string[]): void {
    this.#tmux(["send-keys", "-t", "pi", ...keys]);
  }

  resize(columns: number, rows: number): void {
    this.#tmux(["resize-window", "-t", "pi", "-x", String(columns), "-y", String(rows)]);
  }

  /** `undefined` while the program runs, and for good when the terminal was closed; 128 + n after signal n. */
  exitCode(): number | undefined {
    return readNumber(this.#exitCodeFile);
  }

  /** Closes the terminal: what runs in it gets SIGHUP. The server is gone when this returns. */
  close(): void {
    spawnSync("tmux", ["-S", this.#socket, "kill-server"]);
  }

  #tmux(args: string[]): string {
    // The server inherits this environment and folder: nothing in it shall be taken for a process of the test.
    const env = { PATH: process.env["PATH"] ?? "", HOME: os.devNull, LANG: "C.UTF-8", TERM: "xterm-256color" };
    const result = spawnSync("tmux", ["-u", "-S", this.#socket, ...args], { encoding: "utf8", env, cwd: "/" });
    if (result.status !== 0) throw new Error(`tmux ${args[0] ?? ""}: ${result.error?.message ?? result.stderr.trim()}`);
    return result.stdout;
  }
}

/** A file that is there but still empty is being written. */
function readNumber(file: string): number | undefined {
  const text = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  return text === "" ? undefined : Number(text);
}
