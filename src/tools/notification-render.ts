import type { Theme } from "@earendil-works/pi-coding-agent";
import { summarizeOutcome } from "../format/notification.ts";
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
  if (!Array.isArray(tasks)) return undefined;
  return new Rows((width) =>
    tasks.flatMap((task) => {
      const [color, mark] = MARKS[task.status];
      const line = `${theme.fg(color, mark)} ${theme.fg("muted", `${summarizeOutcome(task)} · ${task.id}`)}`;
      const indent = width > MIN_PADDED_WIDTH ? " ".repeat(padding) : "";
      return wrapTextWithAnsi(line, width - indent.length).map((row) => indent + row);
    }),
  );
}
