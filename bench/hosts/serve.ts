// The program of a host process: one contestant, as much heap as asked for, jobs over the IPC channel.
// usage: serve.ts CONTESTANT FOLDER HEAP_MIB
import { setTimeout } from "node:timers/promises";
import type { Contestant } from "./contestant.ts";
import { createForeman } from "./foreman.ts";
import { createNodeSpawn } from "./node-spawn.ts";
import { Observer } from "./observation.ts";
import { createPiccBash } from "./picc-bash.ts";
import type { Answer, Ask, ContestantName, JobName, Jobs } from "./protocol.ts";

const [name, folder = "", heapMib = "0"] = process.argv.slice(2);
const contestant = await createContestant(name as ContestantName, folder);
/** Exported so that it stays reachable. */
export const heap = fillHeap(Number(heapMib));
let observer: Observer | undefined;

const jobs: { [Name in JobName]: (ask: Jobs[Name]["ask"]) => Promise<Jobs[Name]["answer"]> } = {
  async runForeground({ command, times, pauseMs }) {
    const finished = [];
    for (let i = 0; i < times; i++) {
      await setTimeout(pauseMs);
      finished.push(await contestant.runForeground(command));
    }
    return finished;
  },
  capture: ({ command, expectedBytes, capBytes }) => contestant.capture(command, expectedBytes, capBytes),
  async captureAll({ commands, expectedBytes }) {
    const start = performance.now();
    const captured = await Promise.all(commands.map((command) => contestant.capture(command, expectedBytes)));
    return { ms: performance.now() - start, paths: captured.map((c) => c.path) };
  },
  start: ({ command }) => contestant.start(command),
  stop: ({ id, graceMs }) => contestant.stop(id, graceMs),
  filter: ({ path, pattern }) => contestant.filter?.(path, pattern) ?? Promise.resolve(undefined),
  tail: ({ path, maxBytes }) => contestant.tail?.(path, maxBytes) ?? Promise.resolve(undefined),
  observe({ withLoopDelay }) {
    observer = new Observer(withLoopDelay);
    return Promise.resolve(null);
  },
  finishObservation() {
    if (!observer) return Promise.reject(new Error("nothing is observed"));
    return Promise.resolve(observer.finish());
  },
};

process.on("message", (message) => {
  void answer(message as Ask);
});
process.on("disconnect", () => process.exit(0));
send({ number: 0, answer: "ready" });

async function answer({ number, job, ask }: Ask): Promise<void> {
  try {
    send({ number, answer: await (jobs[job] as (ask: unknown) => Promise<unknown>)(ask) });
  } catch (error) {
    send({ number, error: error instanceof Error ? error.message : String(error) });
  }
}

function send(message: Answer): void {
  process.send?.(message);
}

async function createContestant(which: ContestantName, below: string): Promise<Contestant> {
  switch (which) {
    case "foreman":
      return createForeman(below);
    case "node-spawn":
      return createNodeSpawn(below);
    case "picc-bash":
      return createPiccBash(below);
  }
}

/** Arrays of doubles on ordinary heap pages: what a long session's heap is to the kernel. */
function fillHeap(mib: number): number[][] {
  const perArray = 8_192;
  return Array.from({ length: (mib * 1024 * 1024) / (perArray * 8) }, (_, i) =>
    new Array<number>(perArray).fill(i + 0.5),
  );
}
