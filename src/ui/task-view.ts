// Widget above the editor and pill in the footer. Told of every change; asks for nothing by itself, has no timer, and
// can fail nobody: a context that is gone is not an error here.
import type { ExtensionUIContext, Theme } from "@earendil-works/pi-coding-agent";
import { formatTaskPill } from "../format/task-counts.ts";
import { countVisible, EMPTY_LIST, type TaskList } from "../tasks/task.ts";
import { cutToCells } from "./cells.ts";
import { liveRows } from "./rows.ts";
import { taskRows, type TaskRow } from "./task-rows.ts";

const KEY = "foreman-tasks";

/** Rows where the height of the screen is not known (a client that draws by itself). */
const ROWS_WITHOUT_SCREEN = 10;

/** Part of the terminal's height that the widget may take. */
const SCREEN_SHARE = 1 / 3;

/** As much of the extension context as is used. */
export interface ViewContext {
  mode: string;
  ui: Pick<ExtensionUIContext, "setWidget" | "setStatus">;
}

export interface TaskView {
  /** Shows the list. */
  show(list: TaskList): void;
  /** The agent has stopped working: a list with nothing left to do shrinks to its head line. */
  settle(): void;
  /** The session ends. A client that draws by itself keeps what it was told until it is told otherwise. */
  clear(): void;
}

function paint(row: TaskRow, theme: Theme): string {
  if (row.kind === "head") return ` ${theme.bold(theme.fg("muted", row.text))}`;
  if (row.kind === "in_progress") return ` ${theme.fg("accent", row.text)}`;
  return ` ${row.kind === "pending" ? row.text : theme.fg("dim", row.text)}`;
}

/** A view that draws into the context that `current` gives at that moment. */
export function createTaskView(current: () => ViewContext | undefined): TaskView {
  let list: TaskList | undefined;
  let collapsed = false;
  let requestRender: (() => void) | undefined;
  const shown: { widget: string; pill: string | undefined } = { widget: "", pill: undefined };

  function drawOnScreen(ui: ViewContext["ui"]): void {
    if (requestRender !== undefined) {
      requestRender();
      return;
    }
    ui.setWidget(KEY, (tui, theme) => {
      requestRender = () => {
        tui.requestRender();
      };
      return liveRows((width) => {
        const rows = list === undefined ? [] : taskRows(list, tui.terminal.rows * SCREEN_SHARE, collapsed);
        return rows.map((row) => cutToCells(paint(row, theme), width));
      });
    });
  }

  function drawAsText(ui: ViewContext["ui"], tasks: TaskList): void {
    const lines = taskRows(tasks, ROWS_WITHOUT_SCREEN, collapsed).map((row) => row.text);
    const widget = lines.join("\n");
    if (widget !== shown.widget) ui.setWidget(KEY, lines);
    shown.widget = widget;
  }

  function draw(tasks: TaskList, context: ViewContext): void {
    const counts = countVisible(tasks);
    const pill = counts.total === 0 ? undefined : formatTaskPill(counts);
    if (pill !== shown.pill) context.ui.setStatus(KEY, pill);
    shown.pill = pill;
    if (counts.total === 0) {
      if (requestRender !== undefined || shown.widget !== "") context.ui.setWidget(KEY, undefined);
      requestRender = undefined;
      shown.widget = "";
    } else if (context.mode === "tui") drawOnScreen(context.ui);
    else drawAsText(context.ui, tasks);
  }

  function update(next: TaskList): void {
    list = next;
    try {
      const context = current();
      if (context !== undefined) draw(next, context);
    } catch {
      // The session was replaced under us; the next one draws its own list.
    }
  }

  return {
    show(next) {
      const { completed, total } = countVisible(next);
      if (completed < total) collapsed = false;
      update(next);
    },
    clear() {
      update(EMPTY_LIST);
    },
    settle() {
      if (list === undefined) return;
      const { completed, total } = countVisible(list);
      if (collapsed || completed < total) return;
      collapsed = true;
      update(list);
    },
  };
}
