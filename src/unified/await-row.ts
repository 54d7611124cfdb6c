import type { AgentTask } from "../agents/agent-task.ts";
import { cleanText } from "../format/clean-text.ts";
import { countLines, type LineExcerpt } from "../format/line-excerpt.ts";
import { describeAgentProgress, formatAgentReport, formatCommandReport } from "../format/task-report.ts";
import type { TaskOutcome, TaskRecord } from "./task-record.ts";

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
  facts: { nowMs: number; agent: AgentTask | undefined; interrupted: boolean },
): AwaitRow {
  const { taskId, kind } = record;
  const startMs = record.startedAtMs ?? record.createdAtMs;
  const elapsedMs = Math.max(0, (record.endedAtMs ?? facts.nowMs) - startMs);
  if (record.state === "queued") {
    return { status: "queued", taskId, elapsed_ms: elapsedMs, ...(facts.interrupted && { note: "interrupted" }) };
  }
  const output = kind === "bash" ? describeOutput(record, excerpt) : {};
  if (record.state === "running") {
    const progress = facts.agent === undefined ? undefined : describeAgentProgress(facts.agent.progress);
    const note = facts.interrupted ? "interrupted" : progress;
    return { status: "running", taskId, ...output, elapsed_ms: elapsedMs, ...(note !== undefined && { note }) };
  }
  return {
    status: "completed",
    taskId,
    title: record.title,
    outcome: record.outcome ?? "failed",
    ...(record.exitCode !== undefined && { exitCode: record.exitCode }),
    reportMarkdown: reportOf(record, elapsedMs),
    ...output,
    elapsed_ms: elapsedMs,
    ...(record.membersLeft === true && {
      note: "The command has ended, but processes that it started are still running. task_terminate ends them.",
    }),
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

function describeOutput(record: TaskRecord, excerpt: LineExcerpt): RowOutput {
  const path = record.outputPath === undefined ? {} : { outputPath: record.outputPath };
  if (excerpt.head.length + excerpt.tail.length === 0) return path;
  const gap = `... [${excerpt.omittedLines} lines omitted. Full output: ${record.outputPath ?? "not available"}] ...`;
  const lines = excerpt.omittedLines > 0 ? [...excerpt.head, gap, ...excerpt.tail] : [...excerpt.head, ...excerpt.tail];
  return {
    output: cleanText(lines.join("\n")),
    ...(excerpt.omittedLines > 0 && {
      truncated: { reason: "output limit" as const, totalLines: countLines(excerpt) },
    }),
    ...path,
  };
}
