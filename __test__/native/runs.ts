import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, vi } from "vitest";
import { resolveConfig, type Config } from "../../src/config.ts";
import { loadNative, type Addon, type RunEvent, type Shell } from "../../src/native.ts";
import { outputBase } from "../../src/runs/output-paths.ts";
import { runService, type RunService } from "../../src/runs/service.ts";
import { stopAll } from "../../src/runs/stop.ts";
import { WorkingFolder } from "../../src/tools/bash/working-folder.ts";
import { CallFailures } from "../../src/tools/call-failures.ts";
import { executeBash, type BashResult, type BashTool, type CallContext } from "../../src/tools/bash/execute.ts";
import type { BashArguments } from "../../src/schema/bash.ts";
import { bashOf, commandLinesInGitBash } from "./bash.ts";

/** The real core with a temp folder of its own, and the bash tool on top of it. */
export interface TestBench extends RunService {
  addon: Addon;
  /** Folder that the commands run in. */
  cwd: string;
  bash: Shell;
  /** `${TMPDIR}/picc-bash`, with slashes. */
  outputBase: string;
}

export const SESSION_ID = "session-1";

let bashPath = "";

/** Sets the bench up for the tests of one file, and fails the file when a run outlives them. */
export function useBench(): TestBench {
  const bench = {} as TestBench;
  // The second is what Windows looks at.
  const before = { TMPDIR: process.env["TMPDIR"], TEMP: process.env["TEMP"] };
  let root = "";
  beforeAll(() => {
    const native = loadNative();
    if (!native.ok) throw new Error(native.message);
    root = mkdtempSync(path.join(tmpdir(), "foreman-native-"));
    const cwd = path.join(root, "cwd");
    mkdirSync(cwd);
    const tmp = path.join(root, "tmp");
    mkdirSync(tmp);
    for (const name of Object.keys(before)) process.env[name] = tmp;
    const { addon } = native;
    Object.assign(bench, runService(addon), { addon, cwd, bash: bashOf(addon), outputBase: outputBase() });
    bashPath = bench.bash.path;
  });
  afterAll(async () => {
    const left = await stopAll(bench.registry, bench.registry.alive(), 0, 10_000);
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    if (left.length > 0) throw new Error(`runs are left: ${left.map((run) => run.command).join(", ")}`);
  });
  return bench;
}

export interface BashOptions {
  config?: Partial<Config>;
  signal?: AbortSignal;
  onUpdate?: (text: string) => void;
  cwd?: string;
  sessionId?: string;
  prefix?: string;
  shellPath?: string;
  hasTaskStop?: boolean;
  toolCallId?: string;
}

/** One call of the bash tool, as pi makes it. */
export function bash(bench: TestBench, args: BashArguments, options: BashOptions = {}): Promise<BashResult> {
  const tool: BashTool = {
    registry: bench.registry,
    config: { ...resolveConfig({}, undefined, "").config, ...options.config },
    failures: new CallFailures(),
    handovers: bench.handovers,
    folder: new WorkingFolder(),
    shell: () => ({ shell: { path: options.shellPath ?? bench.bash.path, kind: "bash" }, warnings: [] }),
    commandPrefix: () => options.prefix,
    hasTaskStop: () => options.hasTaskStop ?? true,
  };
  const sessionId = options.sessionId ?? SESSION_ID;
  const context = {
    cwd: options.cwd ?? bench.cwd,
    sessionManager: { getSessionId: () => sessionId, getSessionFile: () => undefined },
    model: undefined,
  } as unknown as CallContext;
  const { onUpdate } = options;
  return executeBash(
    tool,
    options.toolCallId ?? "call_1",
    args,
    options.signal,
    onUpdate && ((partial) => {
      onUpdate(textOf(partial));
    }),
    context,
  );
}

export function textOf(result: Pick<BashResult, "content">): string {
  return result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Makes each folder that the core would take for output unusable, until the returned function is called. */
export function withoutOutputFolders(): () => void {
  const unusable = mkdtempSync(path.join(tmpdir(), "unusable-"));
  // Both folders that the core would make are taken by something else.
  for (const name of ["picc-bash", `picc-bash-${process.getuid?.() ?? 0}`]) writeFileSync(path.join(unusable, name), "");
  // The second is what Windows looks at.
  for (const name of ["TMPDIR", "TEMP"]) vi.stubEnv(name, unusable);
  return () => {
    vi.unstubAllEnvs();
  };
}

/** Id of the task that a result speaks of. */
export function taskIdOf(result: BashResult): string {
  const id = result.details.backgroundTaskId;
  if (id === undefined) throw new Error(`no task in: ${textOf(result)}`);
  return id;
}

/** The next event of this kind; a run that has said it before is asked for its state instead. */
export function waitForEvent<Kind extends RunEvent["kind"]>(
  bench: TestBench,
  id: string,
  kind: Kind,
): Promise<Extract<RunEvent, { kind: Kind }>> {
  return new Promise((resolve) => {
    const unwatch = bench.registry.watch(id, (event) => {
      if (event.kind !== kind) return;
      unwatch();
      resolve(event as Extract<RunEvent, { kind: Kind }>);
    });
  });
}

/** Resolves when nothing of the run is left. */
export async function waitForEnd(bench: TestBench, id: string): Promise<void> {
  if (bench.registry.get(id)?.ended === false) await waitForEvent(bench, id, "ended");
}

/** Resolves when the file has this text in it; the test's own bound ends a wait in vain. */
export async function waitForText(file: string, text: string): Promise<string> {
  for (;;) {
    const content = readFileSync(file, "utf8");
    if (content.includes(text)) return content;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Command lines of processes that carry this word in theirs. */
export function processesWith(word: string): string[] {
  if (process.platform === "win32") return commandLinesInGitBash(bashPath, word);
  if (process.platform === "darwin") {
    const lines = execFileSync("ps", ["-Aww", "-o", "args="], { encoding: "utf8" }).split("\n");
    return lines.filter((line) => line.includes(word));
  }
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")];
      } catch {
        return [];
      }
    })
    .filter((line) => line.includes(word));
}
