// Which processes live, read from /proc, so that a test can say "nothing is left" as a fact. Linux only.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { lookUntil } from "./bound.ts";

/** One process, pinned by its start time: a later process with the same pid is another one. */
export interface SeenProcess {
  pid: number;
  parentPid: number;
  /** Clock ticks since boot, as /proc/<pid>/stat has it. */
  startTicks: string;
  commandLine: string;
}

/** False: the functions below throw, and a test that needs them is to be skipped. */
export const canSeeProcesses = process.platform === "linux";

/** Living processes whose first environment held `NAME=value`. Misses those started with a cleared environment. */
export function processesWithVariable(name: string, value: string): SeenProcess[] {
  return livingProcesses((pid) => readProc(pid, "environ").split("\0").includes(`${name}=${value}`));
}

/** Living processes with exactly this argument, whatever their environment: give it something no one else would say. */
export function processesWithArgument(argument: string): SeenProcess[] {
  return livingProcesses((pid) => readProc(pid, "cmdline").split("\0").includes(argument));
}

/** Living processes whose working directory is `folder` or below. */
export function processesWithin(folder: string): SeenProcess[] {
  return livingProcesses((pid) => {
    const cwd = readlinkSync(`/proc/${pid}/cwd`);
    return cwd === folder || cwd.startsWith(folder + path.sep);
  });
}

/** Waits until `look` finds nothing twice in a row (a process is not seen while it is in exec); gives who is left. */
export async function waitForNone(look: () => SeenProcess[], boundMs: number): Promise<SeenProcess[]> {
  let empty = 0;
  const none = await lookUntil(() => {
    empty = look().length === 0 ? empty + 1 : 0;
    return empty >= 2 ? true : undefined;
  }, boundMs);
  return none === undefined ? look() : [];
}

/** Is it still this very process, and not a zombie? */
export function isAlive(process: SeenProcess): boolean {
  return seeProcess(process.pid)?.startTicks === process.startTicks;
}

/** Is there a process with this pid that is no zombie? For a pid that cannot have been given to another yet. */
export function isLiving(pid: number): boolean {
  if (canSeeProcesses) return seeProcess(pid) !== undefined;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Does every one of its threads stand still? SIGSTOP reaches them one by one, a while after it was sent. */
export function isSuspended(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) => statFields(pid, `task/${thread}/stat`)[0] === "T");
}

/** Ends it hard, unless its pid has become someone else's. */
export function forceEnd(target: SeenProcess): void {
  if (!isAlive(target)) return;
  try {
    process.kill(target.pid, "SIGKILL");
  } catch {
    // It ended between the two lines.
  }
}

/** One line for a person. */
export function describeProcess({ pid, commandLine }: SeenProcess): string {
  return `${pid} ${commandLine}`;
}

function livingProcesses(wanted: (pid: number) => boolean): SeenProcess[] {
  if (!canSeeProcesses) throw new Error(`cannot look at processes on ${process.platform}`);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return wanted(pid);
      } catch {
        // Ended while we looked, or not ours: a test starts nothing as another user.
        return false;
      }
    })
    .flatMap((pid) => seeProcess(pid) ?? []);
}

function seeProcess(pid: number): SeenProcess | undefined {
  try {
    const fields = statFields(pid, "stat");
    const [state, parent] = fields;
    const startTicks = fields[19];
    if (startTicks === undefined || state === "Z" || state === "X") return undefined;
    const commandLine = readProc(pid, "cmdline").split("\0").join(" ").trim();
    return { pid, parentPid: Number(parent), startTicks, commandLine };
  } catch {
    return undefined;
  }
}

/** From the state on. The name before it may hold spaces and parentheses itself; the fields follow its last one (proc(5)). */
function statFields(pid: number, file: string): string[] {
  const stat = readProc(pid, file);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function readProc(pid: number, file: string): string {
  return readFileSync(`/proc/${pid}/${file}`, "utf8");
}
