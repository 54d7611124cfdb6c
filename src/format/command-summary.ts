import { cleanText } from "./clean-text.ts";

/** Long enough to recognise a command, short enough for one row of a list. */
export const MAX_SUMMARY_CHARS = 80;

/** The start of a command on one line, `…` where it goes on. Clean of control sequences. */
export function summarizeCommand(command: string, maxChars: number = MAX_SUMMARY_CHARS): string {
  // A script may be megabytes; its start is all that can be shown.
  const start = cleanText(command.slice(0, maxChars * 8));
  const line = start.replace(/\s+/gu, " ").trim();
  const characters = Array.from(line);
  if (characters.length <= maxChars && command.length <= maxChars * 8) return line;
  return `${characters.slice(0, maxChars - 1).join("")}…`;
}

/** Some tasks for the person, each by its id and what it runs. */
export function listCommands(tasks: readonly { id: string; command: string }[]): string {
  return tasks.map(({ id, command }) => `${id} (${summarizeCommand(command)})`).join(", ");
}
