// A tree of processes that can be watched from outside: each of them holds one end of a FIFO and nothing else does.
import { spawnSync } from "node:child_process";
import { closeSync, constants, openSync, readdirSync, readlinkSync, readSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Workspace } from "./workspace.ts";

let lastTree = 0;

export class Tree {
  readonly fifo: string;
  readonly #program: string;
  readonly #count: number;
  #reader: number | undefined;

  /** `program` is the compiled tree.c. Nothing is started yet. */
  constructor(workspace: Workspace, program: string, count: number) {
    this.fifo = path.join(workspace.folder, `tree-${++lastTree}`);
    this.#program = program;
    this.#count = count;
    if (spawnSync("mkfifo", [this.fifo]).status !== 0) throw new Error("mkfifo failed");
  }

  /** The shell command that becomes the tree. */
  get command(): string {
    return `exec ${this.#program} ${this.fifo} ${this.#count}`;
  }

  /** Every process of it has written its byte. */
  async waitUntilReady(): Promise<void> {
    this.#reader = openSync(this.fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    const buffer = Buffer.alloc(4_096);
    const giveUp = performance.now() + 60_000;
    for (let ready = 0; ready < this.#count;) {
      if (performance.now() > giveUp) throw new Error(`only ${ready} of ${this.#count} processes came up`);
      ready += tryRead(this.#reader, buffer) ?? 0;
      await pause(2);
    }
  }

  /** How many stay alive: the number is taken when it no longer falls, for a signal that was sent takes its time. */
  async countLeft(): Promise<number> {
    let alive = this.countAlive();
    for (let before = alive + 1; alive > 0 && alive < before; alive = this.countAlive()) {
      before = alive;
      await pause(200);
    }
    return alive;
  }

  /** How many are alive now; 0 only when the FIFO has no holder, whatever /proc says. */
  countAlive(): number {
    const alive = this.#pids().length;
    const isHeld = this.#reader !== undefined && tryRead(this.#reader, Buffer.alloc(1)) === undefined;
    return isHeld ? Math.max(1, alive) : alive;
  }

  /** Ends whoever is left; they are known by their executable, which nobody else has. */
  end(): void {
    if (this.#reader !== undefined) closeSync(this.#reader);
    for (let pids = this.#pids(); pids.length > 0; pids = this.#pids()) {
      for (const pid of pids) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // Ended meanwhile.
        }
      }
    }
    rmSync(this.fifo, { force: true });
  }

  #pids(): number[] {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => {
        try {
          return pid > 1 && readlinkSync(`/proc/${pid}/exe`) === this.#program;
        } catch {
          return false;
        }
      });
  }
}

/** Bytes read; 0 when nobody holds the other end; undefined when somebody does and has nothing to say. */
function tryRead(fd: number, buffer: Buffer): number | undefined {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined;
    throw error;
  }
}
