import type { Truncation } from "../../format/bash-result.ts";
import type { CaptureError } from "../../native.ts";

/** Facts about a call, for renderers and other extensions; never a copy of its text. */
export interface BashDetails {
  /** Of the shell; a signal reads 128 + n. */
  exitCode?: number;
  signal?: number;
  timedOut?: true;
  /** Given by the caller, or the default in force, when the command timed out. */
  timeoutMs?: number;
  aborted?: true;
  /** Moved to the background by an interruption, a queued message or the person. */
  interrupted?: true;
  /** Everything that was printed, up to the cap; set when the text leaves something out or the file still grows. */
  fullOutputPath?: string;
  truncation?: Truncation;
  /** Something still runs under this id. */
  backgroundTaskId?: string;
  /** The shell that ran the command, when it is not the default one. */
  shell?: string;
  captureError?: CaptureError;
  durationMs?: number;
  /** Code of an error that kept the command from starting. */
  error?: string;
  /** While it runs: what was printed so far. */
  live?: { totalLines: number; totalBytes: number };
}
