import { boundOutput, type BoundedText } from "./bound-output.ts";
import { formatDuration } from "./duration.ts";
import { readStream, type StreamCapture, type StreamText } from "./stream-text.ts";

/** Everything the text of a foreground result depends on. */
export interface BashResultFacts {
  stdout: StreamCapture;
  stderr: StreamCapture;
  /** The limit for stdout and stderr together; the parts after them always come whole. */
  maxOutputChars: number;
  outputPath: string;
  aborted?: boolean;
  /** Set on a timeout that ended the command. */
  timedOutAfterMs?: number;
  /** Of the shell; a signal reads 128 + n. */
  exitCode?: number;
  /** Said at the end, a line each: what was left running, what could not be recorded. */
  notes?: readonly string[];
  /** Stands for a command that printed nothing and has nothing else to say. */
  emptyText?: string;
}

export interface Truncation {
  reason: "output limit";
  maxChars: number;
  totalLines: number;
  totalBytes: number;
  omittedLines: number;
  omittedBytes: number;
}

export interface BashResultText {
  /** The whole result. */
  text: string;
  /** Only what the command printed. */
  output: string;
  truncation: Truncation | undefined;
}

/** The parts that are not empty, joined by one newline: stdout, stderr, aborted, timed out, exit code, notes. */
export function formatBashResult(facts: BashResultFacts): BashResultText {
  const stdout = trimStdout(readStream(facts.stdout));
  const stderr = trimStderr(readStream(facts.stderr));
  const [stdoutChars, stderrChars] = shareLimit(facts.maxOutputChars, stdout, stderr);
  const shownStdout = boundOutput(stdout, stdoutChars, facts.outputPath);
  const shownStderr = boundOutput(stderr, stderrChars, facts.outputPath);
  const output = joinParts([shownStdout.text, shownStderr.text]);
  const parts = [output];
  if (facts.aborted === true) parts.push("<error>Command was aborted before completion</error>");
  if (facts.timedOutAfterMs !== undefined)
    parts.push(`Command timed out after ${formatDuration(facts.timedOutAfterMs)}`);
  const stoppedByUs = facts.aborted === true || facts.timedOutAfterMs !== undefined;
  if (!stoppedByUs && facts.exitCode !== undefined && facts.exitCode !== 0) parts.push(`Exit code ${facts.exitCode}`);
  const body = joinParts(parts);
  return {
    text: joinParts([body === "" ? (facts.emptyText ?? "(no output)") : body, ...(facts.notes ?? [])]),
    output,
    truncation: describeTruncation(facts, shownStdout, shownStderr),
  };
}

function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

function trimStdout(stream: StreamText): StreamText {
  return trimEnds(stream, (text) => text.replace(/^(?:[^\S\n]*\n)+/, ""));
}

function trimStderr(stream: StreamText): StreamText {
  return trimEnds(stream, (text) => text.trimStart());
}

function trimEnds(stream: StreamText, trimStart: (text: string) => string): StreamText {
  if (stream.gap === undefined) return { ...stream, head: trimStart(stream.head).trimEnd() };
  return { ...stream, head: trimStart(stream.head), tail: stream.tail.trimEnd() };
}

/** A short stream comes whole and leaves the rest to the long one; two long ones share evenly, so each keeps its end. */
function shareLimit(maxChars: number, stdout: StreamText, stderr: StreamText): [number, number] {
  const stdoutChars = wantedChars(stdout);
  const stderrChars = wantedChars(stderr);
  const half = Math.floor(maxChars / 2);
  if (stderrChars <= half) return [stderrChars === 0 ? maxChars : maxChars - stderrChars - 1, stderrChars];
  if (stdoutChars <= half) return [stdoutChars, stdoutChars === 0 ? maxChars : maxChars - stdoutChars - 1];
  return [half, maxChars - half - 1];
}

function wantedChars(stream: StreamText): number {
  return stream.gap === undefined ? stream.head.length : Number.POSITIVE_INFINITY;
}

function describeTruncation(facts: BashResultFacts, ...shown: BoundedText[]): Truncation | undefined {
  const omitted = shown.flatMap((part) => (part.omitted === undefined ? [] : [part.omitted]));
  if (omitted.length === 0) return undefined;
  return {
    reason: "output limit",
    maxChars: facts.maxOutputChars,
    totalLines: facts.stdout.totalLines + facts.stderr.totalLines,
    totalBytes: facts.stdout.totalBytes + facts.stderr.totalBytes,
    omittedLines: omitted.reduce((sum, part) => sum + part.lines, 0),
    omittedBytes: omitted.reduce((sum, part) => sum + part.bytes, 0),
  };
}
