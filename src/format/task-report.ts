import { cleanText } from "./clean-text.ts";
import { formatDuration } from "./duration.ts";
import { oneLine } from "./one-line.ts";

/** How a command came out, as Markdown for the model. */
export interface CommandReportFacts {
  title: string;
  script: string;
  outcome: "exited" | "killed" | "failed" | "timed_out";
  exitCode: number | undefined;
  durationMs: number;
  /** Set when `output` leaves something out. */
  truncated?: { reason: string; totalLines: number; outputPath: string } | undefined;
  /** Undefined: it was or will be given elsewhere. */
  output?: string | undefined;
  /** Other things to know, a line each. */
  notes?: readonly string[];
}

export function formatCommandReport(facts: CommandReportFacts): string {
  const { truncated, output } = facts;
  return [
    `## ${heading(facts.title)}`,
    fence(facts.script, "bash"),
    `${outcomeLine(facts)} · ${durationText(facts.durationMs)}`,
    ...(truncated === undefined
      ? []
      : [
          `Output truncated (${truncated.reason}, ${truncated.totalLines} lines in all). Full output: ${truncated.outputPath}`,
        ]),
    ...(facts.notes ?? []),
    ...(output === undefined ? [] : [output === "" ? "(no output)" : fence(output, "")]),
  ].join("\n\n");
}

/** What a command has printed, taken back out of its report; empty when it has no output in it. */
export function outputInReport(report: string): string {
  return /\n\n(`{3,})\n([\s\S]*)\n\1$/.exec(report)?.[2] ?? "";
}

function outcomeLine({ outcome, exitCode }: CommandReportFacts): string {
  const code = exitCode === undefined ? "Exit code unknown" : `Exit code ${exitCode}`;
  switch (outcome) {
    case "timed_out":
      return `Timed out · ${code}`;
    case "killed":
      return `Killed · ${code}`;
    default:
      return code;
  }
}

/** Under a minute to the tenth: most commands take less than a second. */
function durationText(durationMs: number): string {
  return durationMs < 60_000 ? `${Math.round(durationMs / 100) / 10}s` : formatDuration(durationMs);
}

export interface AgentReportFacts {
  title: string;
  agentType?: string;
  report?: string;
  failure?: string;
}

export function formatAgentReport({ title, agentType, report, failure }: AgentReportFacts): string {
  const kind = agentType === undefined ? "" : ` (${oneLine(agentType)})`;
  return `## ${heading(title)}${kind}\n\n${report ?? `No report. ${failure ?? "How the agent ended is not known."}`}`;
}

/** How far an agent is, in a few words. */
export function describeAgentProgress(progress: {
  turns: number;
  currentTool: string | undefined;
  usage: { totalTokens: number };
}): string {
  const turns = `${progress.turns} ${progress.turns === 1 ? "turn" : "turns"}`;
  const tool = progress.currentTool === undefined ? "" : `, running ${progress.currentTool}`;
  return `${turns}${tool}, ${progress.usage.totalTokens} tokens`;
}

function heading(title: string): string {
  return oneLine(cleanText(title)).trim();
}

/** The text in a fence that nothing in it can close. */
export function fence(text: string, language: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((max, run) => Math.max(max, run.length), 0);
  const ticks = "`".repeat(Math.max(3, longest + 1));
  return `${ticks}${language}\n${text.replace(/\n$/, "")}\n${ticks}`;
}
