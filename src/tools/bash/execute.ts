import type { AgentToolResult, AgentToolUpdateCallback, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { resolveTimeoutMs, type Config } from "../../config.ts";
import { ForemanError, toForemanError, type Shell, type ShellChoice } from "../../native.ts";
import { environmentChanges, type SessionFacts } from "../../runs/environment.ts";
import { waitForAnswer, type ForegroundAnswer } from "../../runs/foreground.ts";
import { adopt, mayMoveOnTimeout } from "../../runs/promotion.ts";
import type { RunRegistry } from "../../runs/registry.ts";
import type { Run } from "../../runs/run.ts";
import { startRun } from "../../runs/start.ts";
import { waitForStart } from "../../runs/started.ts";
import type { BashArguments, BashOutput } from "../../schema/bash.ts";
import type { CallFailures } from "../call-failures.ts";
import { describeAbort, describeExit, describePromotion, type AnswerFacts, type BashAnswer } from "./answer.ts";
import type { BashDetails } from "./details.ts";
import { startLiveOutput } from "./live-output.ts";
import { folderNote, nextFolderNote, type WorkingFolder } from "./working-folder.ts";

/** What a call needs besides its arguments; one per session. */
export interface BashTool {
  registry: RunRegistry;
  config: Config;
  failures: CallFailures;
  /** Found once per session. */
  shell(): ShellChoice;
  folder: WorkingFolder;
  /** pi's `shellCommandPrefix`. */
  commandPrefix(): string | undefined;
  /** Whether the model can call TaskStop now; a person may have kept it from the model. */
  hasTaskStop(): boolean;
}

/** What everybody expects; another bash is worth a word. */
const DEFAULT_SHELLS: ReadonlySet<string> = new Set(["/bin/bash", "bash"]);

/** The part of pi's context that a call reads. */
export type CallContext = Pick<ExtensionContext, "cwd" | "sessionManager" | "model" | "thinkingLevel">;

export type BashResult = AgentToolResult<BashDetails>;

interface Call {
  tool: BashTool;
  toolCallId: string;
  args: BashArguments;
  signal: AbortSignal | undefined;
  onUpdate: AgentToolUpdateCallback<BashDetails> | undefined;
  context: CallContext;
  shell: Shell;
  /** Where it runs; the context has where it was meant to run. */
  cwd: string;
  startedAt: number;
}

/** Runs one call of the bash tool. Never rejects: whatever goes wrong is a result that says so. */
export async function executeBash(
  tool: BashTool,
  toolCallId: string,
  args: BashArguments,
  signal: AbortSignal | undefined,
  onUpdate: AgentToolUpdateCallback<BashDetails> | undefined,
  context: CallContext,
): Promise<BashResult> {
  const result = await run().catch((error: unknown) => describeFailure(toForemanError(error, "SPAWN_FAILED"), context));
  if (result.isError === true) tool.failures.add(toolCallId);
  return result;

  async function run(): Promise<BashResult> {
    const { shell, warnings } = tool.shell();
    if (shell === null) throw new ForemanError("SHELL_NOT_FOUND", ["no shell was found", ...warnings].join("; "));
    const cwd = tool.folder.resolve(context.cwd);
    const call: Call = { tool, toolCallId, args, signal, onUpdate, context, shell, cwd, startedAt: performance.now() };
    const answer = await (args.run_in_background === true && tool.config.backgroundEnabled
      ? runInBackground(call)
      : runInForeground(call));
    const note = folderNote(context.cwd, cwd);
    return note === undefined ? answer : withLine(answer, note);
  }
}

/** The result with one more line of text. */
function withLine(result: BashResult, line: string): BashResult {
  const content = result.content.map((part) =>
    part.type === "text" ? { ...part, text: `${part.text}\n${line}` } : part,
  );
  return { ...result, content };
}

async function runInBackground(call: Call): Promise<BashResult> {
  if (call.signal?.aborted === true) return abortedBeforeStart();
  const { registry } = call.tool;
  const run = startRun(registry, startRequest(call, false, undefined));
  if ((await waitForStart(registry, run, call.signal)) === "aborted") return abortedBeforeStart();
  const text = `Command running in background with ID: ${run.id}. Output is being written to: ${run.outputPath}`;
  return {
    content: [{ type: "text", text }],
    details: { backgroundTaskId: run.id, ...shellDetails(call) },
    structuredContent: structured(
      call,
      { text, output: text, truncation: undefined, isError: false, details: {} },
      run,
    ),
  };
}

async function runInForeground(call: Call): Promise<BashResult> {
  if (call.signal?.aborted === true) return abortedBeforeStart();
  const { registry, config } = call.tool;
  const timeoutMs = resolveTimeoutMs(call.args.timeout, config);
  const run = startRun(registry, startRequest(call, true, timeoutMs));
  const stopUpdates = showLive(call, run);
  let answer: ForegroundAnswer;
  try {
    answer = await waitForAnswer(registry, {
      run,
      signal: call.signal,
      timeoutMs,
      graceMs: config.graceMs,
      promoteOnInterrupt: config.backgroundEnabled,
    });
  } catch (error) {
    registry.forget(run);
    throw error;
  } finally {
    stopUpdates();
  }
  return finish(call, run, answer, timeoutMs);
}

function finish(call: Call, run: Run, answer: ForegroundAnswer, timeoutMs: number): BashResult {
  const { registry, config } = call.tool;
  const leftBehind = answer.kind === "exited" && answer.membersLeft && !run.ended;
  const facts: AnswerFacts = {
    run,
    maxOutputChars: config.maxOutputChars,
    timeoutMs,
    leftBehind,
    hasTaskStop: call.tool.hasTaskStop(),
  };
  let described: BashAnswer;
  switch (answer.kind) {
    case "promoted":
      described = describePromotion(answer.cause, answer.snapshot, facts);
      adopt(registry, run, "promoted");
      break;
    case "exited":
      described = describeExit(answer, facts);
      if (leftBehind) adopt(registry, run, "leftover");
      break;
    case "aborted":
      described = describeAbort(answer.snapshot, facts);
      break;
  }
  if (run.foreground) forgetWhenEnded(registry, run);
  return {
    content: [{ type: "text", text: described.text }],
    details: {
      ...described.details,
      ...shellDetails(call),
      durationMs: Math.round(performance.now() - call.startedAt),
    },
    structuredContent: structured(call, described, run),
    isError: described.isError,
  };
}

/** The rest of an abort's grace goes on behind its answer. */
function forgetWhenEnded(registry: RunRegistry, run: Run): void {
  if (run.ended) {
    registry.forget(run);
    return;
  }
  const unwatch = registry.watch(run.id, (event) => {
    if (event.kind !== "ended") return;
    unwatch();
    // Not within the event: others still look at the run.
    queueMicrotask(() => {
      registry.forget(run);
    });
  });
}

function showLive(call: Call, run: Run): () => void {
  const { onUpdate } = call;
  if (onUpdate === undefined) return () => undefined;
  onUpdate({ content: [], details: {} });
  return startLiveOutput(call.tool.registry, run, ({ text, totalLines, totalBytes }) => {
    onUpdate({ content: [{ type: "text", text }], details: { live: { totalLines, totalBytes } } });
  });
}

function startRequest(call: Call, foreground: boolean, timeoutMs: number | undefined): Parameters<typeof startRun>[1] {
  const { config } = call.tool;
  const { command, description } = call.args;
  const prefix = call.tool.commandPrefix();
  const facts = sessionFacts(call.context);
  const moves = config.onTimeout === "background" && config.backgroundEnabled && mayMoveOnTimeout(command);
  return {
    command,
    script: prefix ? `${prefix}\n${command}` : command,
    description,
    sessionId: facts.sessionId,
    cwd: call.cwd,
    shell: call.shell,
    env: environmentChanges(facts, config.env),
    foreground,
    timeoutMs,
    onTimeout: moves ? "promote" : "stop",
    graceMs: config.graceMs,
    maxOutputChars: config.maxOutputChars,
    outputCapBytes: config.outputCapBytes,
  };
}

function sessionFacts({ sessionManager, model, thinkingLevel }: CallContext): SessionFacts {
  const sessionFile = sessionManager.getSessionFile();
  return {
    sessionId: sessionManager.getSessionId(),
    ...(sessionFile !== undefined && { sessionFile }),
    ...(model !== undefined && { provider: model.provider, model: model.id }),
    ...(thinkingLevel !== undefined && { reasoningLevel: thinkingLevel }),
  };
}

function shellDetails({ shell }: Call): Partial<BashDetails> {
  return DEFAULT_SHELLS.has(shell.path) ? {} : { shell: shell.path };
}

function structured(call: Call, answer: BashAnswer, run: Run): BashOutput {
  const { details } = answer;
  return {
    output: answer.output,
    truncated: answer.truncation !== undefined,
    ...(details.fullOutputPath !== undefined && { full_output_path: details.fullOutputPath }),
    ...(details.exitCode !== undefined && { exit_code: details.exitCode }),
    wall_time_seconds: Math.round((performance.now() - call.startedAt) / 100) / 10,
    ...(!run.foreground && { background_task_id: run.id }),
  };
}

function abortedBeforeStart(): BashResult {
  return {
    content: [{ type: "text", text: "<error>Command was aborted before completion</error>" }],
    details: { aborted: true },
    isError: true,
  };
}

function describeFailure(error: ForemanError, { cwd }: CallContext): BashResult {
  const next = error.code === "CWD_MISSING" ? `\n${nextFolderNote(cwd)}` : "";
  return {
    content: [{ type: "text", text: `<error>The command could not be run: ${error.message}</error>${next}` }],
    details: { error: error.code },
    isError: true,
  };
}
