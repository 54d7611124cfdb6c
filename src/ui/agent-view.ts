// A line above the editor for each agent that nobody waits for. Told of every change; has no timer, and can fail nobody.
import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import type { AgentTask } from "../agents/agent-task.ts";
import type { AgentPool } from "../agents/pool.ts";
import { summarizeCommand } from "../format/command-summary.ts";
import { describeAgentProgress } from "../format/task-report.ts";
import { cutToCells } from "./cells.ts";
import { liveRows } from "./rows.ts";
import { plain } from "./tool-rows.ts";

const KEY = "foreman-agents";
/** More would push the editor off a small screen. */
const MAX_SHOWN = 6;
/** So that there is room for how far it is. */
const MAX_TITLE_CHARS = 40;

/** As much of the extension context as is used. */
export interface AgentViewContext {
  mode: string;
  hasUI: boolean;
  ui: Pick<ExtensionUIContext, "setWidget">;
}

/** Shows the agents of a session until the returned function is called. */
export function showAgents(pool: AgentPool, sessionId: string, context: AgentViewContext): () => void {
  const active = new Set<AgentTask>();
  let lines: string[] = [];
  let requestRender: (() => void) | undefined;
  const drawOnScreen = (): void => {
    if (requestRender !== undefined) {
      requestRender();
      return;
    }
    context.ui.setWidget(KEY, (tui) => {
      requestRender = () => {
        tui.requestRender();
      };
      return liveRows((width) => lines.map((line) => cutToCells(` ${line}`, width)));
    });
  };
  const draw = (): void => {
    const next = agentLines([...active]);
    if (next.join("\n") === lines.join("\n")) return;
    lines = next;
    try {
      if (!context.hasUI) return;
      if (lines.length === 0) {
        requestRender = undefined;
        context.ui.setWidget(KEY, undefined);
      } else if (context.mode === "tui") drawOnScreen();
      else context.ui.setWidget(KEY, lines);
    } catch {
      // The session was replaced under us; the next one draws its own.
    }
  };
  const unlisten = pool.onChange((task) => {
    if (task.sessionId !== sessionId) return;
    if (task.state === "ended" || task.run?.foreground === true) active.delete(task);
    else active.add(task);
    draw();
  });
  return () => {
    unlisten();
    active.clear();
    draw();
  };
}

function agentLines(tasks: readonly AgentTask[]): string[] {
  const lines = tasks.slice(0, MAX_SHOWN).map((task) => {
    const progress = task.state === "queued" ? "queued" : describeAgentProgress(task.progress);
    return `${task.state === "queued" ? "○" : "●"} ${plain(task.agentType)}: ${plain(summarizeCommand(task.title, MAX_TITLE_CHARS))} · ${plain(progress)}`;
  });
  return tasks.length > MAX_SHOWN ? [...lines, `… and ${tasks.length - MAX_SHOWN} more agents`] : lines;
}
