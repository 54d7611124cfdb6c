// Our native core, driven as src/runs does: one listener, events by run.
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { Addon, LaunchSpec, RunEvent } from "../../src/native.ts";
import { defer } from "../deferred.ts";
import type { Contestant } from "./contestant.ts";

type EventOf<Kind extends RunEvent["kind"]> = RunEvent & { kind: Kind };
type Waiting = (event: RunEvent) => void;

const NATIVE = path.join(import.meta.dirname, "../../native");

/** Output goes below `outputBase`. */
export function createForeman(outputBase: string): Contestant {
  const addon = loadAddon();
  const waiting = new Map<string, Waiting>();
  let lastId = 0;
  addon.subscribe((event) => waiting.get(event.runId)?.(event));
  addon.hold(true);

  const launch = (command: string, foreground: boolean, outputCapBytes?: number) => {
    const id = `bench-${process.pid}-${++lastId}`;
    const spec: LaunchSpec = {
      id,
      script: command,
      shell: { path: "/bin/bash", kind: "bash" },
      cwd: outputBase,
      env: {},
      foreground,
      outputBase,
      outputFolders: ["bench"],
      meta: "",
      ...(outputCapBytes === undefined ? {} : { outputCapBytes }),
    };
    const run = watchRun(id, waiting);
    addon.launch(spec);
    const forget = () => {
      waiting.delete(id);
      addon.forget(id);
    };
    void run.ended.then(forget, forget);
    return run;
  };

  return {
    async runForeground(command) {
      const start = performance.now();
      const run = launch(command, true);
      const callMs = performance.now() - start;
      const { exit } = await run.shellExited;
      const ms = performance.now() - start;
      if (exit.code !== 0) throw new Error(`${command} ended with ${JSON.stringify(exit)}`);
      // The next one should not share the machine with the end of this one.
      await run.ended;
      return { ms, callMs };
    },
    async capture(command, _expectedBytes, capBytes) {
      const start = performance.now();
      const run = launch(command, false, capBytes);
      const { outputPath } = await run.started;
      const { exit, captureError } = await run.ended;
      const ms = performance.now() - start;
      if (exit.code !== 0 || captureError) throw new Error(`${command}: ${JSON.stringify({ exit, captureError })}`);
      return { ms, path: outputPath };
    },
    async start(command) {
      const run = launch(command, false);
      const { runId, shellPid } = await run.started;
      return { id: runId, shellPid };
    },
    async stop(id, graceMs) {
      const ended = new Promise<void>((resolve) => {
        const before = waiting.get(id);
        waiting.set(id, (event) => {
          before?.(event);
          if (event.kind === "ended") resolve();
        });
      });
      const start = performance.now();
      if (!addon.requestStop(id, "stop", graceMs)) throw new Error(`no run ${id} to stop`);
      await ended;
      return performance.now() - start;
    },
    async filter(file, pattern) {
      if (!("read" in addon)) return undefined;
      const start = performance.now();
      let [cursor, lines] = [0, 0];
      for (;;) {
        const part = await addon.read(file, cursor, { filter: pattern, final: true });
        lines += part.lines.length + part.omittedLines;
        if (part.cursor === cursor) return { ms: performance.now() - start, lines };
        cursor = part.cursor;
      }
    },
    async tail(file, maxBytes) {
      if (!("tail" in addon)) return undefined;
      const start = performance.now();
      const tail = addon.tail(file, maxBytes);
      const callMs = performance.now() - start;
      if ((await tail).text.length === 0) throw new Error(`the tail of ${file} is empty`);
      return { ms: performance.now() - start, callMs };
    },
  };
}

/** The moments of one run. */
function watchRun(id: string, waiting: Map<string, Waiting>) {
  const started = defer<EventOf<"started">>();
  const shellExited = defer<EventOf<"shell-exited">>();
  const ended = defer<EventOf<"ended">>();
  waiting.set(id, (event) => {
    if (event.kind === "started") started.resolve(event);
    else if (event.kind === "shell-exited") shellExited.resolve(event);
    else if (event.kind === "ended") ended.resolve(event);
    else if (event.kind === "failed") {
      const error = new Error(`${event.code}: ${event.message}`);
      for (const moment of [started, shellExited, ended]) moment.reject(error);
    }
  });
  return { started: started.promise, shellExited: shellExited.promise, ended: ended.promise };
}

function loadAddon(): Addon {
  const platform = readdirSync(NATIVE).find((name) => name.startsWith(`${process.platform}-${process.arch}`));
  if (platform === undefined) throw new Error("the native core is not built: npm run build:native");
  const load = createRequire(import.meta.url);
  const addon = load(path.join(NATIVE, platform, `pi-foreman.${platform}.node`)) as Addon;
  addon.setShimPath(path.join(NATIVE, platform, "foreman-shim"));
  return addon;
}
