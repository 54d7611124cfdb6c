import type { AgentToolResult, AgentToolUpdateCallback, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { MAX_TIMER_MS, resolveTimeoutMs, type Config } from "../../config.ts";
import { ForemanError, toForemanError, type Shell, type ShellChoice } from "../../native.ts";
import { environmentChanges, type SessionFacts } from "../../runs/environment.ts";
import { waitForAnswer, type ForegroundAnswer } from "../../runs/foreground.ts";
import type { Handover, Handovers } from "../../runs/handover.ts";
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
  handovers: Handovers;
  /** Found once per session. */
  shell(): ShellChoice;
  folder: WorkingFolder;
  /** pi's `shellCommandPrefix`. */
  commandPrefix(): string | undefined;
  /** Whether the model can call TaskStop now; a person may have kept it from the model. */
  hasTaskStop(): boolean;
}

/** What everybody expects, on Windows the bash of Git; another bash is worth a word. */
const DEFAULT_SHELL = /^(\/bin\/)?bash$|^[a-z]:[\\/].*[\\/]Git[\\/](usr[\\/])?bin[\\/]bash\.exe$/i;

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
  /** Set when the tool `task` makes this call. */
  handover: Handover | undefined;
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
    const handover = tool.handovers.find(toolCallId);
    const startedAt = performance.now();
    const call: Call = { tool, toolCallId, args, signal, onUpdate, context, shell, handover, cwd, startedAt };
    const answer = await (args.run_in_background === true && tool.config.backgroundEnabled
      ? runInBackground(call)
      : runInForeground(call));
    const note = folderNote(context.cwd, cwd);
    if (note === undefined) return answer;
    if (handover?.answer !== undefined) {
      handover.answer.text += `\n${note}`;
      handover.answer.notes.push(note);
    }
    return withLine(answer, note);
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
  const run = startRun(registry, startRequest(call, false, backgroundTimeoutMs(call)));
  if ((await waitForStart(registry, run, call.signal)) === "aborted") return abortedBeforeStart();
  const text = `Command running in background with ID: ${run.id}. Output is being written to: ${run.outputPath}`;
  giveBack(call, run, { text, output: "", notes: [] });
  return {
    content: [{ type: "text", text }],
    details: { backgroundTaskId: run.id, ...shellDetails(call) },
    structuredContent: structured(call, { output: text, truncation: undefined, details: {} }, run),
  };
}

async function runInForeground(call: Call): Promise<BashResult> {
  if (call.signal?.aborted === true) return abortedBeforeStart();
  const { registry, config } = call.tool;
  const timeoutMs = resolveTimeoutMs(call.args.timeout, timeoutLimits(call));
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
      if (call.handover !== undefined) call.handover.movedBy = answer.cause;
      break;
    case "exited":
      described = describeExit(answer, facts);
      if (leftBehind) adopt(registry, run, "leftover");
      break;
    case "aborted":
      described = describeAbort(answer.snapshot, facts);
      break;
  }
  if (run.foreground) registry.forgetWhenEnded(run);
  giveBack(call, run, described);
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

function giveBack({ handover }: Call, run: Run, answer: Pick<BashAnswer, "text" | "output" | "notes">): void {
  if (handover === undefined) return;
  const { text, output, notes } = answer;
  handover.run = run;
  handover.answer = { text, output, notes };
}

/** A task has a timeout in the background as well. */
function backgroundTimeoutMs(call: Call): number | undefined {
  return call.handover === undefined ? undefined : resolveTimeoutMs(call.args.timeout, timeoutLimits(call));
}

/** The limit of bash is for calls that a model makes; a task names its own time. */
function timeoutLimits({ handover, tool: { config } }: Call): Pick<Config, "defaultTimeoutMs" | "maxTimeoutMs"> {
  return handover === undefined ? config : { ...config, maxTimeoutMs: MAX_TIMER_MS };
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
  const moves =
    foreground && config.onTimeout === "background" && config.backgroundEnabled && mayMoveOnTimeout(command);
  return {
    task: call.handover?.task,
    command,
    script: prefix ? `${prefix}\n${command}` : command,
    description,
    sessionId: facts.sessionId,
    cwd: call.cwd,
    shell: call.shell,
    env: environmentChanges(facts, config.env),
    foreground,
    timeoutMs,
    onTimeout: moves ? "promote" : call.handover === undefined ? "stop" : "stop-always",
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
  return DEFAULT_SHELL.test(shell.path) ? {} : { shell: shell.path };
}

function structured(call: Call, answer: Pick<BashAnswer, "output" | "truncation" | "details">, run: Run): BashOutput {
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
