import type { Run } from "../runs/run.ts";
import { NO_PROGRESS, type AgentProgress } from "./progress.ts";
import type { AgentResult } from "./result.ts";

/** One sub-agent of a session of this process. */
export interface AgentTask {
  readonly runId: string;
  /** The session that started it. */
  readonly sessionId: string;
  /** The session that it is. */
  readonly childSessionId: string;
  readonly title: string;
  readonly agentType: string;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
  /** A call waits for it; it is started as a run in the foreground then. */
  isAwaited: boolean;
  state: "queued" | "running" | "ended";
  /** Set when its turn has come. */
  run: Run | undefined;
  startedAtMs: number | undefined;
  endedAtMs: number | undefined;
  progress: AgentProgress;
  /** Set when it has ended. */
  result: AgentResult | undefined;
}

export function newAgentTask(
  facts: Pick<AgentTask, "runId" | "sessionId" | "childSessionId" | "title" | "agentType" | "isAwaited">,
): AgentTask {
  return {
    ...facts,
    createdAtMs: Date.now(),
    state: "queued",
    run: undefined,
    startedAtMs: undefined,
    endedAtMs: undefined,
    progress: NO_PROGRESS,
    result: undefined,
  };
}
