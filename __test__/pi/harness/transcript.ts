// What the model asked for and what it read back, put together from its requests and the session files.
import type { ModelRequest, SeenMessage } from "./model-request.ts";
import type { StoredSession } from "./session-files.ts";

export interface ToolResult {
  id: string;
  tool: string;
  args: unknown;
  /** What the model read; of a call whose result never reached it (an aborted run): what was stored. */
  text: string;
  /** The model was sent this result. */
  seenByModel: boolean;
  /** Of the stored result; `undefined` when none was stored. */
  isError?: boolean;
  details?: unknown;
}

/** One record per tool call, in the order in which the model got the results. */
export function toolResults(requests: ModelRequest[], sessions: StoredSession[]): ToolResult[] {
  const results = new Map<string, ToolResult>();
  for (const { id, tool, argsJson, text } of requests.flatMap((request) => request.toolResults)) {
    results.set(id, { id, tool, args: parseArgs(argsJson), text, seenByModel: true });
  }
  for (const entry of sessions.flatMap((session) => session.entries)) {
    if (entry.type !== "message" || entry.message.role !== "toolResult") continue;
    const { toolCallId: id, toolName: tool, content, isError, details } = entry.message;
    const text = content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("");
    const seen = results.get(id) ?? { id, tool, args: undefined, text, seenByModel: false };
    results.set(id, { ...seen, isError, details });
  }
  return [...results.values()];
}

export interface ArrivedMessage extends SeenMessage {
  /** Number of the request that brought it first. */
  requestNumber: number;
}

/** Every message once, with the request that brought it: what a request repeats of the one before is left out. */
export function arrivedMessages(requests: ModelRequest[]): ArrivedMessage[] {
  const last = new Map<string, SeenMessage[]>();
  return requests.flatMap((request) => {
    const before = last.get(request.modelId) ?? [];
    const { messages } = request;
    last.set(request.modelId, messages);
    const isNew = (message: SeenMessage, index: number) => JSON.stringify(message) !== JSON.stringify(before[index]);
    const first = messages.findIndex(isNew);
    return first < 0 ? [] : messages.slice(first).map((message) => ({ ...message, requestNumber: request.number }));
  });
}

/** Messages of this package that told the model about the end of a background task, in the order of arrival. */
export function taskNotifications(requests: ModelRequest[]): ArrivedMessage[] {
  return arrivedMessages(requests).filter(({ role, text }) => role === "user" && text.includes("<task-notification>"));
}

function parseArgs(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
