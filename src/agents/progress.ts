/** Tokens and cost, summed over all requests of an agent; pi's own shape. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

/** How far an agent is, as its events tell. */
export interface AgentProgress {
  turns: number;
  /** Running at this moment; undefined: the model thinks. */
  currentTool: string | undefined;
  /** All that run, in the order of their starts; the current one is the last. */
  runningTools: readonly { id: unknown; name: string }[];
  usage: Usage;
  /** Text of the last message of its model. */
  lastText: string;
  /** Why that message ended; undefined while there is none. */
  stopReason: string | undefined;
  errorMessage: string | undefined;
}

export const NO_PROGRESS: AgentProgress = {
  turns: 0,
  currentTool: undefined,
  runningTools: [],
  usage: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
  lastText: "",
  stopReason: undefined,
  errorMessage: undefined,
};

/**
 * Lines that say something about progress; all others (each word of the model is one) need not be looked at. The result
 * of a tool is one when it has used tokens itself: an agent of the agent.
 */
export const PROGRESS_FILTER = String.raw`^\{"type":"(message_end","message":\{"role":("assistant"|"toolResult".*"usage":\{)|tool_execution_(start|end)")`;

/** The progress after one more line of the agent's output. What is no event of interest changes nothing. */
export function takeLine(progress: AgentProgress, line: string): AgentProgress {
  const event = parse(line);
  switch (event?.["type"]) {
    case "tool_execution_start":
      return typeof event["toolName"] === "string"
        ? withTools(progress, [...progress.runningTools, { id: event["toolCallId"], name: event["toolName"] }])
        : progress;
    case "tool_execution_end":
      return withTools(
        progress,
        progress.runningTools.filter(({ id }) => id !== event["toolCallId"]),
      );
    case "message_end":
      return takeMessage(progress, event["message"]);
    default:
      return progress;
  }
}

function withTools(progress: AgentProgress, runningTools: AgentProgress["runningTools"]): AgentProgress {
  return { ...progress, runningTools, currentTool: runningTools.at(-1)?.name };
}

function takeMessage(progress: AgentProgress, value: unknown): AgentProgress {
  if (!isRecord(value)) return progress;
  const { role, content, stopReason, errorMessage, usage } = value;
  if (role === "toolResult" && isRecord(usage)) return { ...progress, usage: addUsage(progress.usage, usage) };
  if (role !== "assistant") return progress;
  return {
    turns: progress.turns + 1,
    currentTool: undefined,
    runningTools: [],
    usage: addUsage(progress.usage, usage),
    lastText: textOf(content),
    stopReason: typeof stopReason === "string" ? stopReason : undefined,
    errorMessage: typeof errorMessage === "string" ? errorMessage : undefined,
  };
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((part: unknown) =>
      isRecord(part) && part["type"] === "text" && typeof part["text"] === "string" ? [part["text"]] : [],
    )
    .join("")
    .trim();
}

/** The sum; `more` is whatever was read, so what is no number counts as none. */
export function addUsage(sum: Usage, more: unknown): Usage {
  const usage = isRecord(more) ? more : {};
  const cost = isRecord(usage["cost"]) ? usage["cost"] : {};
  return {
    input: sum.input + numberIn(usage, "input"),
    output: sum.output + numberIn(usage, "output"),
    cacheRead: sum.cacheRead + numberIn(usage, "cacheRead"),
    cacheWrite: sum.cacheWrite + numberIn(usage, "cacheWrite"),
    totalTokens: sum.totalTokens + numberIn(usage, "totalTokens"),
    cost: {
      input: sum.cost.input + numberIn(cost, "input"),
      output: sum.cost.output + numberIn(cost, "output"),
      cacheRead: sum.cost.cacheRead + numberIn(cost, "cacheRead"),
      cacheWrite: sum.cost.cacheWrite + numberIn(cost, "cacheWrite"),
      total: sum.cost.total + numberIn(cost, "total"),
    },
  };
}

function numberIn(record: Record<string, unknown>, key: string): number {
  const value = record[key];
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
