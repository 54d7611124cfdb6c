import type { AgentTask } from "../agents/agent-task.ts";
import { cleanText } from "../format/clean-text.ts";
import { countLines, type LineExcerpt } from "../format/line-excerpt.ts";
import { describeLostOutput, NO_FILE_NOTE } from "../format/lost-output.ts";
import { describeAgentProgress, formatAgentReport, formatCommandReport } from "../format/task-report.ts";
import { noteOwner, type TaskOwner } from "./task-owner.ts";
import type { TaskOutcome, TaskRecord } from "./task-record.ts";

/** Bounds of the output of one row, all in all; what does not fit stays in the file. */
const MAX_ROW_BYTES = 16 * 1024;
const MAX_ROW_LINES = 300;
/** The line that stands for those left out, with the path of the file. */
const MAX_GAP_BYTES = 512;

/** Bounds of the lines in it. */
export const ROW_LIMITS = { maxBytes: MAX_ROW_BYTES - MAX_GAP_BYTES, maxLines: MAX_ROW_LINES - 1 };

/** One row of the answer of task_await. */
export type AwaitRow =
  | ({ status: "running"; taskId: string; elapsed_ms: number; note?: string } & RowOutput)
  | { status: "queued"; taskId: string; elapsed_ms: number; note?: string }
  | ({
      status: "completed";
      taskId: string;
      title: string;
      outcome: TaskOutcome;
      exitCode?: number;
      reportMarkdown: string;
      elapsed_ms: number;
      note?: string;
    } & RowOutput)
  | { status: "not_found"; taskId: string; activeTaskIds: string[] }
  | { status: "invalid_scope"; taskId: string }
  | { status: "error"; taskId: string; error: string };

/** What came since the last await; of bash only. */
export interface RowOutput {
  output?: string;
  truncated?: { reason: "output limit"; totalLines: number };
  /** All of it. */
  outputPath?: string;
}

/** The row of a task as it is now. */
export function describeTask(
  record: TaskRecord,
  excerpt: LineExcerpt,
  facts: {
    nowMs: number;
    agent: AgentTask | undefined;
    owner: TaskOwner | undefined;
    interrupted: boolean;
    terminateTool: string;
  },
): AwaitRow {
  const { taskId, kind } = record;
  const startMs = record.startedAtMs ?? record.createdAtMs;
  const elapsedMs = Math.max(0, (record.endedAtMs ?? facts.nowMs) - startMs);
  const progress = facts.agent === undefined ? undefined : describeAgentProgress(facts.agent.progress);
  const elsewhere = facts.owner === undefined ? undefined : noteOwner(facts.owner);
  if (record.state === "queued") {
    const note = facts.interrupted ? "interrupted" : elsewhere;
    return { status: "queued", taskId, elapsed_ms: elapsedMs, ...(note !== undefined && { note }) };
  }
  const output = kind === "bash" ? describeOutput(record, excerpt) : {};
  if (record.state === "running") {
    const note = facts.interrupted ? "interrupted" : (progress ?? elsewhere ?? lostOutputNote(record));
    return { status: "running", taskId, ...output, elapsed_ms: elapsedMs, ...(note !== undefined && { note }) };
  }
  const left =
    record.membersLeft === true
      ? `The command has ended, but processes that it started are still running. ${facts.terminateTool} ends them.`
      : undefined;
  const notes = [left, lostOutputNote(record)].filter((note) => note !== undefined);
  return {
    status: "completed",
    taskId,
    title: record.title,
    outcome: record.outcome ?? "failed",
    ...(record.exitCode !== undefined && { exitCode: record.exitCode }),
    reportMarkdown: reportOf(record, elapsedMs),
    ...output,
    elapsed_ms: elapsedMs,
    ...(notes.length > 0 && { note: notes.join(" ") }),
  };
}

function reportOf(record: TaskRecord, durationMs: number): string {
  if (record.kind === "agent") return formatAgentReport(record);
  return formatCommandReport({
    title: record.title,
    script: record.script ?? "",
    outcome: record.outcome ?? "failed",
    exitCode: record.exitCode,
    durationMs,
  });
}

/** A file that lacks something must not be taken for all that was printed. */
function lostOutputNote({ kind, outputPath, captureError }: TaskRecord): string | undefined {
  if (kind === "agent") return undefined;
  if (outputPath === undefined) return NO_FILE_NOTE;
  return captureError && `${describeLostOutput(captureError)}.`;
}

function describeOutput(record: TaskRecord, excerpt: LineExcerpt): RowOutput {
  const path = record.outputPath === undefined ? {} : { outputPath: record.outputPath };
  if (countLines(excerpt) === 0) return path;
  const gap = `... [${excerpt.omittedLines} ${excerpt.omittedLines === 1 ? "line" : "lines"} omitted. Full output: ${record.outputPath ?? "not available"}] ...`;
  const lines = excerpt.omittedLines > 0 ? [...excerpt.head, gap, ...excerpt.tail] : [...excerpt.head, ...excerpt.tail];
  return {
    output: cleanText(lines.join("\n")),
    ...((excerpt.omittedLines > 0 || lines.some(isCutLine)) && {
      truncated: { reason: "output limit" as const, totalLines: countLines(excerpt) },
    }),
    ...path,
  };
}

/** The core cuts a line only when it alone is too long, and says so in its middle. */
function isCutLine(line: string): boolean {
  return line.length >= ROW_LIMITS.maxBytes / 4 && /\[\.\.\. \d+ bytes of this line left out \.\.\.\]/.test(line);
}
