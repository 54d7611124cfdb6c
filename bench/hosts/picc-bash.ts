// npm @ladbabynpm/picc-bash, driven as pi drives it: its tools are registered and executed, nothing of it is changed.
import { stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { build } from "esbuild";
import type { Contestant } from "./contestant.ts";

interface Result {
  content: { text: string }[];
  details: { backgroundTaskId?: string; exitCode?: number };
}
interface Tool {
  name: string;
  execute(id: string, params: unknown, signal?: AbortSignal, onUpdate?: unknown, ctx?: unknown): Promise<Result>;
}
type Register = (pi: unknown) => void;

/** The peer writes below the temp folder, so `folder` becomes that. */
export async function createPiccBash(folder: string): Promise<Contestant> {
  process.env["TMPDIR"] = folder;
  // No configuration of the person who runs this.
  process.env["PICC_BASH_CONFIG_PATH"] = path.join(folder, "no-config.json");
  const tools = new Map<string, Tool>();
  const exits = new Map<string, () => void>();
  let lastRun = 0;
  const ctx = {
    cwd: folder,
    sessionManager: { getSessionId: () => `bench-${process.pid}` },
    ui: {
      notify: (message: string) => {
        exits.get(/"(run \d+)"/.exec(message)?.[1] ?? "")?.();
      },
    },
  };
  const register = await loadExtension(folder);
  register({
    registerTool: (tool: Tool) => tools.set(tool.name, tool),
    on: (event: string, handler: (event: unknown, ctx: unknown) => void) => {
      if (event === "session_start") handler({}, ctx);
    },
  });
  const execute = async (params: unknown): Promise<Result> => {
    const bash = tools.get("bash");
    if (!bash) throw new Error("the peer registered no tool named bash");
    return bash.execute("call", params, undefined, undefined, ctx);
  };

  return {
    async runForeground(command) {
      const start = performance.now();
      const result = execute({ command });
      const callMs = performance.now() - start;
      const { details } = await result;
      const ms = performance.now() - start;
      if (details.exitCode !== undefined) throw new Error(`${command} ended with ${details.exitCode}`);
      return { ms, callMs };
    },
    async capture(command, expectedBytes) {
      const start = performance.now();
      const description = `run ${++lastRun}`;
      const exited = new Promise<void>((resolve) => exits.set(description, resolve));
      // The peer runs /bin/sh; the others run the command in bash.
      const inBash = `exec bash -c '${command.replaceAll("'", "'\\''")}'`;
      const { content } = await execute({ command: inBash, description, run_in_background: true });
      const file = /written to: (.*)$/.exec(content[0]?.text ?? "")?.[1];
      if (file === undefined) throw new Error("the peer did not say where the output is");
      await exited;
      // It announces the exit of the shell; its own queue may still be on the way to the file.
      const giveUp = performance.now() + 30_000;
      while ((await stat(file)).size < expectedBytes && performance.now() < giveUp) await pause(1);
      return { ms: performance.now() - start, path: file };
    },
    start: () => Promise.reject(new Error("the peer stops by tree-kill, which is measured by itself")),
    stop: () => Promise.reject(new Error("the peer stops by tree-kill, which is measured by itself")),
  };
}

/** TypeScript inside node_modules is nothing that Node loads. pi compiles it too, though with jiti. */
async function loadExtension(folder: string): Promise<Register> {
  const outfile = path.join(folder, `picc-bash-${process.pid}.mjs`);
  await build({
    entryPoints: [path.join(import.meta.dirname, "../../node_modules/@ladbabynpm/picc-bash/index.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "warning",
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
  });
  const loaded = (await import(outfile)) as { default: Register };
  return loaded.default;
}
