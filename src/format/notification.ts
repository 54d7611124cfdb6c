import { cleanText } from "./clean-text.ts";
import { summarizeCommand } from "./command-summary.ts";
import { describeLostOutput } from "./lost-output.ts";

/** What the model is told about a background task that has come to its end. */
export interface TaskNotice {
  id: string;
  /** Set for what the tool `task` has started: it is ended by another tool. */
  task?: "bash" | "agent";
  /** Empty: there is none. */
  outputPath: string;
  status: "completed" | "failed" | "killed";
  /** Of the shell; a signal reads 128 + n. Absent when nobody could see it. */
  exitCode?: number;
  command: string;
  description?: string;
  /** The command had answered before; these are the processes that it left running. */
  leftover?: boolean;
  /** Somebody here asked for the end … */
  stopAsked?: boolean;
  /** … or its time was up; else a signal from outside ended it. */
  timedOut?: boolean;
  /** The shell has ended, but processes that it started go on. */
  membersLeft?: boolean;
  /** The model has no tool that stops them. */
  unstoppable?: boolean;
  captureError?: { code: string; bytesLost: number };
}

/** One message for all of `notices`, in the order of their ends. It holds no output, so no output can pose as a person. */
export function formatNotification(notices: readonly TaskNotice[]): string {
  return notices.map(formatOne).join("\n");
}

function formatOne(notice: TaskNotice): string {
  return [
    "<task-notification>",
    element("task-id", notice.id),
    notice.outputPath === "" ? "" : element("output-file", notice.outputPath),
    element("status", notice.status),
    notice.exitCode === undefined ? "" : element("exit-code", String(notice.exitCode)),
    element("summary", summarizeOutcome(notice)),
    "</task-notification>",
  ].join("");
}

/** Description or start of the command, and how it ended, in one line. */
export function summarizeOutcome(notice: TaskNotice): string {
  const what = summarizeCommand(notice.description?.trim() ? notice.description : notice.command);
  const kind = notice.task === "agent" ? "Agent" : "Background command";
  const subject = notice.leftover === true ? `Processes left running by "${what}"` : `${kind} "${what}"`;
  let text = `${subject} ${outcome(notice)}`;
  if (notice.membersLeft === true) {
    text += "; processes that it started are still running";
    if (notice.task !== undefined) text += " (task_terminate with this ID stops them)";
    else if (notice.unstoppable !== true) text += " (TaskStop with this ID stops them)";
  }
  if (notice.captureError !== undefined) text += `; ${describeLostOutput(notice.captureError)}`;
  return text;
}

function outcome(notice: TaskNotice): string {
  if (notice.task === "agent" && notice.status !== "killed") {
    return notice.status === "completed"
      ? "has reported (task_await gives the report)"
      : "ended without a report (task_await says why)";
  }
  if (notice.leftover === true && notice.status !== "killed") return "have ended";
  if (notice.status === "completed") return "completed (exit code 0)";
  if (notice.status === "failed") {
    return notice.exitCode === undefined ? "failed (exit code unknown)" : `failed with exit code ${notice.exitCode}`;
  }
  const verb = notice.leftover === true ? "were" : "was";
  if (notice.timedOut === true) return `${verb} stopped by its timeout`;
  if (notice.stopAsked === true) return `${verb} stopped on request`;
  return `${verb} killed by a signal${notice.exitCode === undefined ? "" : ` (exit code ${notice.exitCode})`}`;
}

function element(name: string, content: string): string {
  return `<${name}>${escapeXml(content)}</${name}>`;
}

const XML_ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function escapeXml(text: string): string {
  return cleanText(text).replace(/[&<>"']/g, (character) => XML_ESCAPES[character] ?? character);
}
