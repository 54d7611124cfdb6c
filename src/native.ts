// The only importer of the addon. Everything else sees these plain objects.
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readExtent } from "./native/binary-extent.ts";
import { loadAddonOn, type LoadedAddon } from "./native/load-addon.ts";
import { isMuslHost } from "./native/platform.ts";

/** Errors the core can give; the one table is `ErrorKind::code` in crates/foreman-core/src/error.rs. */
export type CoreErrorCode =
  | "SHELL_NOT_FOUND"
  | "CWD_MISSING"
  | "SPAWN_FAILED"
  | "OUTPUT_UNWRITABLE"
  | "SHIM_MISSING"
  | "BAD_REQUEST"
  | "VERSION_SKEW"
  | "SUPERVISOR_LOST"
  | "NO_SUCH_RUN"
  | "OUTPUT_UNREADABLE"
  | "BAD_PATTERN";

/** How the script is handed over and in which dialect the prologue is written. */
export type ShellKind = "bash" | "zsh" | "sh" | "cmd";

export interface Shell {
  path: string;
  kind: ShellKind;
}

/** What to run. Units are in the names; everything optional has its default in crates/foreman-core/src/limits.rs. */
export interface LaunchSpec {
  /** Names the run everywhere: `PI_FOREMAN_RUN`, journal, output file. `[A-Za-z0-9_-]{1,64}`. */
  id: string;
  /** Reaches the shell byte for byte. No NUL, at most 4 MiB. */
  script: string;
  shell: Shell;
  /** Absolute. */
  cwd: string;
  /** Laid over the environment of this process; `null` removes a name. */
  env: Record<string, string | null>;
  /** Two pipes (stdout and stderr apart) and a hold on the event loop; a background run has one pipe for both. */
  foreground: boolean;
  /** Folder that holds all output, journal and sockets; made 0700 when missing, `<base>-<uid>` when it is not ours. */
  outputBase: string;
  /** Folder names below the base, each a single safe path part; the file is `<base>/<…>/<id>.output`. */
  outputFolders: string[];
  outputCapBytes?: number;
  /** Bytes of the start and of the end of each stream that stay in memory for the result. */
  windowBytes?: number;
  /** Counted from the start of the shell, monotonic. Absent: none. */
  timeoutMs?: number;
  /** `stop` is only for as long as somebody waits: a run that was moved to the background has no limit any more. */
  onTimeout?: "stop" | "stop-always" | "promote";
  /** TERM to KILL. 0: KILL at once. */
  graceMs?: number;
  /** Kept beside the run for whoever asks after a /reload; the core never reads it. */
  meta: string;
}

/** Why we ended a run; `natural`: we did not. The first reason observed wins. */
export type EndReason = "natural" | "stop" | "abort" | "timeout" | "quit" | "host-gone" | "supervisor-lost";

/** What the shell did. Exactly one of the two is there. */
export interface Exit {
  code?: number;
  /** Signal number; read as 128 + n, never as success. */
  signal?: number;
}

export interface StreamWindow {
  /** First bytes; the whole stream when `tail` is empty. */
  head: Uint8Array;
  /** Last bytes, never overlapping `head`. */
  tail: Uint8Array;
  totalBytes: number;
  /** Newlines seen. */
  totalLines: number;
}

export interface Snapshot {
  /** Of a background run: both streams, in the order of the writes. */
  stdout: StreamWindow;
  /** Empty for a background run. */
  stderr: StreamWindow;
}

export interface CaptureError {
  /** An errno name such as `ENOSPC`. */
  code: string;
  path: string;
  bytesLost: number;
}

export interface Survivor {
  pid: number;
  command: string;
  why: "another-user" | "uninterruptible" | "still-exiting";
}

export type StopResult =
  { state: "gone" } | { state: "survivors"; survivors: Survivor[] } | { state: "unknown"; why: string };

/** What a run says, each kind at most once but `snapshot` and `stop-result`. Always in this order: started (or failed),
 *  shell-exited, ended. */
export type RunEvent = { runId: string } & (
  | { kind: "started"; outputPath: string; shellPid: number }
  | { kind: "failed"; code: CoreErrorCode; message: string }
  | { kind: "promoted"; by: "timeout" | "request"; snapshot: Snapshot }
  /** The shell has ended and what it printed is complete, or its members went on in silence (100 ms, at most 1 s). */
  | {
      kind: "shell-exited";
      exit: Exit;
      reason: EndReason;
      membersLeft: boolean;
      snapshot: Snapshot;
      captureError?: CaptureError;
      durationMs: number;
    }
  | { kind: "snapshot"; snapshot: Snapshot }
  /** A stop that could not empty the run within its bound. The shim goes on trying. */
  | { kind: "stop-result"; result: StopResult }
  | {
      kind: "ended";
      exit: Exit;
      reason: EndReason;
      result: StopResult;
      totalBytes: number;
      captureError?: CaptureError;
      durationMs: number;
    }
);

/** What is known of a run now; answers from memory, after a /reload too. */
export interface RunInfo {
  id: string;
  meta: string;
  phase: "starting" | "running" | "shell-exited" | "ended" | "failed";
  foreground: boolean;
  /** Unix milliseconds of the launch. */
  startedAtMs: number;
  outputPath?: string;
  shellPid?: number;
  exit?: Exit;
  reason?: EndReason;
  membersLeft?: boolean;
}

export interface RunStats {
  members: number;
  cpuMs: number;
  residentBytes: number;
  ageMs: number;
  outputBytes: number;
  /** Unix milliseconds of the last write to the output. */
  lastOutputAtMs?: number;
}

export interface Tail {
  text: string;
  totalBytes: number;
  /** The text starts at the start of a line. */
  fromLineStart: boolean;
}

export interface ReadOptions {
  filter?: string;
  /** Lines that match are dropped instead of kept. */
  exclude?: boolean;
  maxBytes?: number;
  /** The run has ended: a last line without newline counts. */
  final?: boolean;
}

export interface ReadResult {
  lines: string[];
  cursor: number;
  /** Whole lines left out because of `maxBytes` … */
  omittedLines: number;
  /** … behind so many of `lines`. */
  linesBeforeGap: number;
}

export interface SweepReport {
  /** Ids of runs whose host was gone and whose members we ended. */
  ended: string[];
  /** Output files of runs that live on, of any host on this machine. */
  liveOutputs: string[];
}

/** The addon as it is. All calls return at once; those that look at files answer by promise, off the JS thread. */
export interface Addon {
  version(): string;
  /** Tells where the shim is; before the first launch. */
  setShimPath(path: string): void;
  /** Throws BAD_REQUEST for a spec that cannot be meant; everything later comes as an event. */
  launch(spec: LaunchSpec): void;
  /** One listener per environment; replaces the earlier one. Does not keep Node alive unless held. */
  subscribe(listener: (event: RunEvent) => void): void;
  /** Keeps Node alive while true. */
  hold(held: boolean): void;
  /** Asks; a second one skips the grace. False: no such run or it has ended. */
  requestStop(id: string, reason: EndReason, graceMs?: number): boolean;
  requestPromotion(id: string): boolean;
  /** With `tailBytes` the windows are only the last so many bytes of each stream: enough to show a person. */
  requestSnapshot(id: string, tailBytes?: number): boolean;
  setMeta(id: string, meta: string): boolean;
  runs(): RunInfo[];
  run(id: string): RunInfo | null;
  /** Forgets an ended run. */
  forget(id: string): void;
  stats(id: string): Promise<RunStats | null>;
  tail(path: string, maxBytes: number): Promise<Tail>;
  read(path: string, cursor: number, options: ReadOptions): Promise<ReadResult>;
  sweep(outputBase: string): Promise<SweepReport>;
  /** Folders that may hold the output of this user: `outputBase`, and what is taken when that is not ours. May be missing. */
  outputBases(outputBase: string): string[];
  chooseShell(request: ShellRequest): ShellChoice;
}

export interface ShellRequest {
  /** `PICC_BASH_SHELL` or `shell` in config.json (Windows: `PICC_BASH_PATH`). */
  override?: string;
  /** pi's own setting. */
  shellPath?: string;
  cwd: string;
}

export interface ShellChoice {
  shell: Shell | null;
  /** One line each, for the person: an override that is no shell, a fallback taken. */
  warnings: string[];
}

/** Either the addon, or in plain words why there is none and what to do. */
export type NativeLoad = LoadedAddon<Addon>;

/** An error with a code of the core's table; branch on `code`, never on the message. */
export class ForemanError extends Error {
  readonly code: CoreErrorCode;

  constructor(code: CoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "ForemanError";
    this.code = code;
  }
}

const CORE_ERROR_CODES: ReadonlySet<string> = new Set<CoreErrorCode>([
  "SHELL_NOT_FOUND",
  "CWD_MISSING",
  "SPAWN_FAILED",
  "OUTPUT_UNWRITABLE",
  "SHIM_MISSING",
  "BAD_REQUEST",
  "VERSION_SKEW",
  "SUPERVISOR_LOST",
  "NO_SUCH_RUN",
  "OUTPUT_UNREADABLE",
  "BAD_PATTERN",
]);

function isCoreErrorCode(code: unknown): code is CoreErrorCode {
  return typeof code === "string" && CORE_ERROR_CODES.has(code);
}

/** What the addon threw, as an error with one of our codes; `fallback` when it carries none. */
export function toForemanError(thrown: unknown, fallback: CoreErrorCode): ForemanError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const own = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  // Errors of promises carry a code of Node-API's own ("GenericFailure"); ours then stands before the message.
  const prefix = /^([A-Z_]+): /.exec(message);
  const prefixed = isCoreErrorCode(prefix?.[1]) ? prefix[1] : undefined;
  const known = isCoreErrorCode(own) ? own : (prefixed ?? fallback);
  const text = prefixed === undefined ? message : message.slice(`${prefixed}: `.length);
  return new ForemanError(known, text, thrown);
}

let loaded: NativeLoad | undefined;

/** The addon of this process, loaded at the first call; a later call gives the same answer. Never throws. */
export function loadNative(): NativeLoad {
  loaded ??= loadAddonHere();
  return loaded;
}

function loadAddonHere(): NativeLoad {
  const require = createRequire(import.meta.url);
  // Both src/ and dist/ lie one folder below package.json.
  const packageRoot = path.resolve(fileURLToPath(new URL("..", import.meta.url)));
  return loadAddonOn<Addon>({
    platform: process.platform,
    arch: process.arch,
    env: process.env,
    packageRoot,
    exists: existsSync,
    isExecutable,
    extent: readExtent,
    load: (target) => require(target) as unknown,
    resolve: (packageName) => {
      try {
        return require.resolve(packageName);
      } catch {
        return undefined;
      }
    },
    isMusl: isMuslHost,
    version: () =>
      (JSON.parse(readFileSync(path.join(packageRoot, "package.json"), "utf8")) as { version: string }).version,
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
