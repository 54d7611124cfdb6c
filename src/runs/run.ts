import type { CaptureError, EndReason, Exit, RunInfo } from "../native.ts";
import { withSlashes } from "./output-paths.ts";

/** `running` until the shell has ended; a run that left processes behind runs until they have ended. */
export type RunState = "running" | "completed" | "failed" | "killed";

/** What a run is to the model when the tool `task` has started it; the model knows it as `<kind>:<run id>`. */
export interface TaskFacts {
  kind: "bash" | "agent";
  title: string;
}

/** What is known of a run in this process. */
export interface Run {
  readonly id: string;
  /** Undefined for a command that was started by the tool bash itself. */
  readonly task: TaskFacts | undefined;
  /** As the caller gave it. */
  readonly command: string;
  readonly description: string | undefined;
  /** The session whose model is told of its end. */
  readonly sessionId: string;
  /** Unix milliseconds. */
  readonly startedAtMs: number;
  /** Somebody waits for its result. */
  foreground: boolean;
  /** Its call has been answered; what runs on are processes that it started. */
  leftover: boolean;
  state: RunState;
  /** Of an agent: how its work came out, which its exit code does not say. It runs until somebody has read that. */
  verdict: Exclude<RunState, "running"> | undefined;
  /** Empty: it could not be started, so there is no output. */
  outputPath: string;
  exit: Exit | undefined;
  reason: EndReason | undefined;
  /** The shell has ended, processes that it started have not. */
  membersLeft: boolean;
  /** Nothing of it is left. */
  ended: boolean;
  captureError: CaptureError | undefined;
  /** Somebody here asked for its end while it ran. */
  stopAsked: boolean;
  /** The model knows of the end: it was told, or it asked for it itself. */
  told: boolean;
  /** Unix milliseconds. */
  endedAtMs: number | undefined;
}

/** A run of which nothing is known yet but what it is to be. */
export function newRun(
  facts: Pick<
    Run,
    "id" | "task" | "command" | "description" | "sessionId" | "startedAtMs" | "foreground" | "outputPath"
  >,
): Run {
  return {
    ...facts,
    leftover: false,
    state: "running",
    verdict: undefined,
    exit: undefined,
    reason: undefined,
    membersLeft: false,
    ended: false,
    captureError: undefined,
    stopAsked: false,
    told: false,
    endedAtMs: undefined,
  };
}

/** What must survive a re-evaluation of the modules; kept beside the run by the addon. */
interface RunMeta {
  task?: TaskFacts;
  command: string;
  description?: string;
  sessionId: string;
  leftover: boolean;
  background: boolean;
  stopAsked: boolean;
  told: boolean;
}

/** The part of a run that the addon keeps for us. */
export function encodeMeta(run: Run): string {
  const meta: RunMeta = {
    ...(run.task !== undefined && { task: run.task }),
    command: run.command,
    ...(run.description !== undefined && { description: run.description }),
    sessionId: run.sessionId,
    leftover: run.leftover,
    background: !run.foreground,
    stopAsked: run.stopAsked,
    told: run.told,
  };
  return JSON.stringify(meta);
}

/** A run as the addon remembers it; undefined for one that is not ours to show. */
export function restoreRun(info: RunInfo): Run | undefined {
  const meta = decodeMeta(info.meta);
  if (meta === undefined || !meta.background || info.phase === "failed") return undefined;
  const shellExited = info.phase === "shell-exited" || info.phase === "ended";
  const ended = info.phase === "ended";
  const settled = meta.task?.kind !== "agent" && (meta.leftover ? ended : shellExited);
  const { task, command, description, sessionId, leftover, stopAsked, told } = meta;
  const { id, startedAtMs, exit, reason } = info;
  const outputPath = withSlashes(info.outputPath ?? "");
  const run: Run = {
    ...newRun({ id, task, command, description, sessionId, startedAtMs, foreground: false, outputPath }),
    leftover,
    exit,
    reason,
    membersLeft: shellExited && !ended && (info.membersLeft ?? true),
    ended,
    stopAsked,
    told,
    endedAtMs: settled ? Date.now() : undefined,
  };
  if (settled) run.state = endState(run);
  return run;
}

function decodeMeta(text: string): RunMeta | undefined {
  try {
    const meta = JSON.parse(text) as Partial<RunMeta> | null;
    if (typeof meta?.command !== "string" || typeof meta.sessionId !== "string") return undefined;
    return {
      ...(isTaskFacts(meta.task) && { task: meta.task }),
      command: meta.command,
      ...(typeof meta.description === "string" && { description: meta.description }),
      sessionId: meta.sessionId,
      leftover: meta.leftover === true,
      background: meta.background === true,
      stopAsked: meta.stopAsked === true,
      told: meta.told === true,
    };
  } catch {
    return undefined;
  }
}

function isTaskFacts(value: unknown): value is TaskFacts {
  const task = value as Partial<TaskFacts> | null | undefined;
  return (task?.kind === "bash" || task?.kind === "agent") && typeof task.title === "string";
}

/** State of a run whose end is known. An end that somebody here asked for is `killed`, whatever the exit says. */
export function endState(
  run: Pick<Run, "exit" | "reason" | "leftover" | "stopAsked"> & Partial<Pick<Run, "verdict">>,
): Exclude<RunState, "running"> {
  if (run.verdict !== undefined) return run.verdict;
  // What a command left behind ends long after the shell's own, natural end.
  if (run.leftover && run.stopAsked) return "killed";
  if (run.reason === "stop" || run.reason === "abort" || run.reason === "timeout" || run.reason === "quit")
    return "killed";
  if (run.reason === "natural" && run.exit?.signal !== undefined) return "killed";
  return run.reason === "natural" && run.exit?.code === 0 ? "completed" : "failed";
}

/** What the model calls a run: `bash:<id>` and `agent:<id>` for what `task` has started, the bare id otherwise. */
export function taskIdOf(run: Pick<Run, "id" | "task">): string {
  return run.task === undefined ? run.id : `${run.task.kind}:${run.id}`;
}

/** As a shell would say it: a signal reads 128 + n. Undefined when nobody could see it. */
export function exitCodeOf(exit: Exit | undefined): number | undefined {
  if (exit?.signal !== undefined) return 128 + exit.signal;
  return exit?.code;
}
