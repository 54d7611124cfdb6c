import { toForemanError, type Addon, type LaunchSpec, type Shell } from "../native.ts";
import type { EnvironmentChanges } from "./environment.ts";
import { createRunId } from "./ids.ts";
import { expectedOutputPath, outputBase, outputFolders } from "./output-paths.ts";
import type { RunRegistry } from "./registry.ts";
import { encodeMeta, newRun, type Run, type TaskFacts } from "./run.ts";

/** The core's window is 64 KiB at each end; a UTF-8 character has up to four bytes. */
const DEFAULT_WINDOW_CHARS = (64 * 1024) / 4;
const MAX_BYTES_PER_CHAR = 4;

/** What the caller wants to be run. */
export interface StartRequest {
  /** Given when something had to name the run before it could start. */
  id?: string;
  task?: TaskFacts | undefined;
  /** As the model wrote it; shown and told. */
  command: string;
  /** What the shell gets: the command, with the user's prefix in front. */
  script: string;
  description: string | undefined;
  sessionId: string;
  cwd: string;
  shell: Shell;
  env: EnvironmentChanges;
  foreground: boolean;
  /** Undefined: none, as for a command that bash starts in the background. */
  timeoutMs: number | undefined;
  onTimeout: NonNullable<LaunchSpec["onTimeout"]>;
  graceMs: number;
  maxOutputChars: number;
  outputCapBytes: number;
}

/**
 * Launches a command and lists it. Returns before it has started; a later failure comes as the event `failed`.
 *
 * Errors: `ForemanError` for what cannot be meant (a NUL in the script, a script that is too long). Nothing is listed then.
 */
export function startRun(registry: RunRegistry, request: StartRequest): Run {
  const id = request.id ?? createRunId((taken) => registry.has(taken));
  const { task, command, description, sessionId, foreground } = request;
  const outputPath = expectedOutputPath(sessionId, id);
  const run = newRun({ id, task, command, description, sessionId, startedAtMs: Date.now(), foreground, outputPath });
  launch(registry.addon, {
    id,
    script: request.script,
    shell: request.shell,
    cwd: request.cwd,
    env: request.env,
    foreground,
    outputBase: outputBase(),
    outputFolders: outputFolders(sessionId),
    outputCapBytes: request.outputCapBytes,
    ...windowFor(request.maxOutputChars),
    ...(request.timeoutMs !== undefined && { timeoutMs: request.timeoutMs, onTimeout: request.onTimeout }),
    graceMs: request.graceMs,
    meta: encodeMeta(run),
  });
  registry.add(run);
  return run;
}

function launch(addon: Addon, spec: LaunchSpec): void {
  try {
    addon.launch(spec);
  } catch (error) {
    throw toForemanError(error, "BAD_REQUEST");
  }
}

/** Half of the text may come from each end, and each of its characters may take four bytes. */
function windowFor(maxOutputChars: number): { windowBytes: number } | undefined {
  const halfChars = Math.ceil(maxOutputChars / 2);
  return halfChars <= DEFAULT_WINDOW_CHARS ? undefined : { windowBytes: halfChars * MAX_BYTES_PER_CHAR };
}
