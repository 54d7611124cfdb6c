import type { EndReason, Exit } from "../native.ts";
import type { AgentProgress } from "./progress.ts";

/** What came of an agent. Only a clean end with words is a report. */
export type AgentResult =
  | { kind: "reported"; report: string }
  /** It was ended, by us or by a signal. */
  | { kind: "killed"; failure: string }
  | { kind: "failed"; failure: string };

export interface AgentEnd {
  exit: Exit | undefined;
  reason: EndReason | undefined;
  /** What it wrote to standard error, the end of it. */
  errors: string;
}

/** Reads the end of an agent out of its last words, its exit, and what it complained of. */
export function judgeResult(progress: AgentProgress, { exit, reason, errors }: AgentEnd): AgentResult {
  const complaint = errors.trim() === "" ? "" : `\n${errors.trim()}`;
  if (reason !== "natural" && reason !== undefined && reason !== "supervisor-lost" && reason !== "host-gone") {
    return { kind: "killed", failure: `The agent was ended (${reason}) before it reported.` };
  }
  if (exit?.signal !== undefined) return { kind: "killed", failure: `The agent was ended by signal ${exit.signal}.` };
  const { stopReason, errorMessage, lastText } = progress;
  if (stopReason === undefined) {
    const code = exit?.code === undefined ? "an exit code that nobody saw" : `exit code ${exit.code}`;
    return { kind: "failed", failure: `The agent could not start: pi ended with ${code}.${complaint}` };
  }
  if (stopReason !== "stop") {
    const words = lastText === "" ? "" : `\nIts last words: ${lastText}`;
    return { kind: "failed", failure: `${stopText(stopReason, errorMessage)}${words}` };
  }
  if (exit?.code !== 0) {
    return { kind: "failed", failure: `The agent's pi ended with exit code ${exit?.code ?? "unknown"}.${complaint}` };
  }
  if (lastText === "") return { kind: "failed", failure: "The agent ended without a word." };
  return { kind: "reported", report: lastText };
}

function stopText(stopReason: string, errorMessage: string | undefined): string {
  const detail = errorMessage === undefined ? "" : `: ${errorMessage}`;
  switch (stopReason) {
    case "error":
      return `The agent's model failed${detail}`;
    case "aborted":
      return `The agent was aborted${detail}`;
    case "length":
      return `The agent's last message was cut at the model's limit${detail}`;
    case "toolUse":
      return `The agent ended in the middle of its work${detail}`;
    default:
      return `The agent stopped (${stopReason})${detail}`;
  }
}
