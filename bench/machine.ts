// What the numbers were measured on, and what /proc says about one process.
import { readFileSync, readdirSync } from "node:fs";
import os from "node:os";

/** One line each, for the head of the results. */
export function machineFacts(): string[] {
  const memoryGib = (os.totalmem() / 1024 ** 3).toFixed(0);
  return [
    `${os.cpus().length} × ${os.cpus()[0]?.model.trim() ?? "unknown processor"}, ${memoryGib} GiB`,
    `${os.type()} ${os.release()} ${os.arch()}`,
    `Node ${process.version}`,
    `${new Date().toISOString().slice(0, 10)}, load average at the start ${(os.loadavg()[0] ?? 0).toFixed(2)}`,
  ];
}

/** Children of all threads of a process; none when it has gone. */
export function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** Most memory that a process ever had resident, in KiB; undefined when it has gone. */
export function peakResidentKib(pid: number): number | undefined {
  try {
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kib === undefined ? undefined : Number(kib);
  } catch {
    return undefined;
  }
}

/** Processes and threads that this machine has ever started, whoever started them. */
export function forksEver(): number {
  return Number(/^processes (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1]);
}
