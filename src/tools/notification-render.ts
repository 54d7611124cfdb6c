import type { Theme } from "@earendil-works/pi-coding-agent";
import { summarizeOutcome, type TaskNotice } from "../format/notification.ts";
import type { NotificationMessage } from "../runs/notify.ts";
import { Rows } from "../ui/rows.ts";
import { wrapTextWithAnsi } from "../ui/terminal-text.ts";

const MARKS = { completed: ["success", "●"], failed: ["error", "●"], killed: ["warning", "●"] } as const;

/** Where every column counts, none goes to the margin. */
const MIN_PADDED_WIDTH = 20;

/** A line for each task that has ended, instead of the markup that the model reads. */
export function renderNotification(
  details: Partial<NotificationMessage["details"]> | undefined,
  theme: Theme,
  padding: number,
): Rows | undefined {
  const tasks = details?.tasks;
  // Another extension, or another version of this one, may have sent it; pi then draws the message itself.
  if (!Array.isArray(tasks) || !tasks.every(isNotice)) return undefined;
  return new Rows((width) =>
    tasks.flatMap((task) => {
      const [color, mark] = MARKS[task.status];
      const line = `${theme.fg(color, mark)} ${theme.fg("muted", `${summarizeOutcome(task)} · ${task.id}`)}`;
      const indent = width > MIN_PADDED_WIDTH ? " ".repeat(padding) : "";
      return wrapTextWithAnsi(line, width - indent.length).map((row) => indent + row);
    }),
  );
}

function isNotice(value: unknown): value is TaskNotice {
  if (typeof value !== "object" || value === null) return false;
  const { id, status, command, description, captureError } = value as Partial<Record<keyof TaskNotice, unknown>>;
  return (
    typeof id === "string" &&
    typeof status === "string" &&
    Object.hasOwn(MARKS, status) &&
    typeof command === "string" &&
    (description === undefined || typeof description === "string") &&
    (captureError === undefined || (typeof captureError === "object" && captureError !== null))
  );
}
