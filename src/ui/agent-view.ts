// A line above the editor for each agent that nobody waits for. Told of every change; has no timer, and can fail nobody.
import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import type { AgentTask } from "../agents/agent-task.ts";
import type { AgentPool } from "../agents/pool.ts";
import { describeAgentProgress } from "../format/task-report.ts";
import { plain } from "./tool-rows.ts";

const KEY = "foreman-agents";
/** More would push the editor off a small screen. */
const MAX_SHOWN = 6;

/** As much of the extension context as is used. */
export interface AgentViewContext {
  hasUI: boolean;
  ui: Pick<ExtensionUIContext, "setWidget">;
}

/** Shows the agents of a session until the returned function is called. */
export function showAgents(pool: AgentPool, sessionId: string, context: AgentViewContext): () => void {
  const active = new Set<AgentTask>();
  let shown = "";
  const draw = (): void => {
    const lines = agentLines([...active]);
    const text = lines.join("\n");
    if (text === shown) return;
    shown = text;
    try {
      if (context.hasUI) context.ui.setWidget(KEY, lines.length === 0 ? undefined : lines);
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
    return `${task.state === "queued" ? "○" : "●"} ${plain(task.agentType)}: ${plain(task.title)} · ${plain(progress)}`;
  });
  return tasks.length > MAX_SHOWN ? [...lines, `… and ${tasks.length - MAX_SHOWN} more agents`] : lines;
}
