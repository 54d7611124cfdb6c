// Writes one answer as the server-sent events of an OpenAI chat completion.
import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { callsOf, type Answer } from "./turn.ts";

interface StreamOptions {
  /** Unique per request; the ids of the calls are made from it. */
  requestNumber: number;
  modelId: string;
}

/** Resolves when the answer is written; writes nothing more once pi has closed the connection. */
export async function streamAnswer(response: ServerResponse, answer: Answer, options: StreamOptions): Promise<void> {
  const { requestNumber, modelId } = options;
  const send = (fields: object) => {
    if (response.destroyed) return;
    const chunk = { id: `chatcmpl-${requestNumber}`, object: "chat.completion.chunk", created: 0, model: modelId };
    response.write(`data: ${JSON.stringify({ ...chunk, ...fields })}\n\n`);
  };
  const sendDelta = (delta: object, finishReason: string | null = null) => {
    send({ choices: [{ index: 0, delta, finish_reason: finishReason }] });
  };

  if (answer.pauseMs !== undefined) await pause(answer.pauseMs);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  sendDelta({ role: "assistant", content: "" });
  for (const part of parts(answer)) {
    sendDelta({ content: part });
    if (answer.wordPauseMs !== undefined) await pause(answer.wordPauseMs);
  }
  const calls = callsOf(answer);
  for (const [index, { tool, args }] of calls.entries()) {
    const id = `call_${requestNumber}_${index + 1}`;
    const json = typeof args === "string" ? args : JSON.stringify(args);
    // Name and arguments apart, as real providers stream them.
    sendDelta({ tool_calls: [{ index, id, type: "function", function: { name: tool, arguments: "" } }] });
    sendDelta({ tool_calls: [{ index, function: { arguments: json } }] });
  }
  sendDelta({}, calls.length > 0 ? "tool_calls" : "stop");
  send({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } });
  response.end("data: [DONE]\n\n");
}

function parts({ text, wordPauseMs }: Answer): string[] {
  if (text === undefined) return [];
  return wordPauseMs === undefined ? [text] : (text.match(/\s*\S+\s*/g) ?? [text]);
}
