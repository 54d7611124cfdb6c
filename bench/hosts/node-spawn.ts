// Node's own child_process, as an extension would use it: pipes, a write stream for the file, npm tree-kill for the stop.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import path from "node:path";
import { finished } from "node:stream/promises";
import { promisify } from "node:util";
import treeKill from "tree-kill";
import type { Contestant } from "./contestant.ts";

const killTree = promisify<number, string>(treeKill);

/** Output goes into `folder`. */
export function createNodeSpawn(folder: string): Contestant {
  const running = new Map<string, ChildProcess>();
  let lastId = 0;
  const spawnShell = (command: string) =>
    spawn("/bin/bash", ["-c", command], { cwd: folder, stdio: ["ignore", "pipe", "pipe"], detached: true });

  return {
    async runForeground(command) {
      const start = performance.now();
      const child = spawnShell(command);
      const callMs = performance.now() - start;
      child.stdout.resume();
      child.stderr.resume();
      await once(child, "close");
      const ms = performance.now() - start;
      if (child.exitCode !== 0) throw new Error(`${command} ended with ${child.exitCode ?? child.signalCode ?? "?"}`);
      return { ms, callMs };
    },
    async capture(command) {
      const file = path.join(folder, `node-${process.pid}-${++lastId}.output`);
      const start = performance.now();
      const child = spawnShell(command);
      const sink = createWriteStream(file, { mode: 0o600 });
      child.stdout.pipe(sink);
      child.stderr.resume();
      await Promise.all([finished(sink), once(child, "close")]);
      const ms = performance.now() - start;
      if (child.exitCode !== 0) throw new Error(`${command} ended with ${child.exitCode ?? child.signalCode ?? "?"}`);
      return { ms, path: file };
    },
    async start(command) {
      const child = spawnShell(command);
      await once(child, "spawn");
      child.stdout.resume();
      child.stderr.resume();
      const id = String(child.pid);
      running.set(id, child);
      return { id, shellPid: child.pid ?? 0 };
    },
    async stop(id) {
      if (!running.delete(id)) throw new Error(`no run ${id} to stop`);
      const start = performance.now();
      await killTree(Number(id), "SIGKILL");
      return performance.now() - start;
    },
  };
}
