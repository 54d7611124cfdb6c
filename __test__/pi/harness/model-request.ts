// What pi sent to the model in one request, in the terms of a test.

/** One message as the model reads it. Images and other parts appear as `[type]`. */
export interface SeenMessage {
  role: string;
  text: string;
  /** The tool calls that an assistant message made. */
  calls: SeenCall[];
  /** Which call a `tool` message answers. */
  toolCallId?: string;
}

export interface SeenCall {
  id: string;
  tool: string;
  /** As pi sent it back: the JSON text of the arguments. */
  argsJson: string;
}

/** A call together with the text that the model got for it. */
export interface SeenToolResult extends SeenCall {
  text: string;
}

/** A tool that the model may call. */
export interface OfferedTool {
  name: string;
  description: string;
  parameters: unknown;
}

interface WireMessage {
  role: string;
  content?: string | { type: string; text?: string }[] | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

interface WireBody {
  model: string;
  messages: WireMessage[];
  tools?: { function: { name: string; description?: string; parameters?: unknown } }[];
}

/** One request to the scripted model. `body` is everything that was sent. */
export class ModelRequest {
  /** Counted from 1 over all models. */
  readonly number: number;
  readonly body: WireBody;

  constructor(number: number, body: unknown) {
    this.number = number;
    this.body = body as WireBody;
  }

  get modelId(): string {
    return this.body.model;
  }

  /** Oldest first, the system prompt included. */
  get messages(): SeenMessage[] {
    return this.body.messages.map((message) => ({
      role: message.role,
      text: textOf(message.content),
      calls: (message.tool_calls ?? []).map((call) => ({
        id: call.id,
        tool: call.function.name,
        argsJson: call.function.arguments,
      })),
      ...(message.tool_call_id === undefined ? {} : { toolCallId: message.tool_call_id }),
    }));
  }

  get systemPrompt(): string {
    return this.messages
      .filter(({ role }) => role === "system" || role === "developer")
      .map(({ text }) => text)
      .join("\n");
  }

  get tools(): OfferedTool[] {
    return (this.body.tools ?? []).map(({ function: tool }) => ({
      name: tool.name,
      description: tool.description ?? "",
      parameters: tool.parameters,
    }));
  }

  /** All tool results of the conversation so far, oldest first. */
  get toolResults(): SeenToolResult[] {
    const { messages } = this;
    const calls = new Map(messages.flatMap((message) => message.calls).map((call) => [call.id, call]));
    return messages.flatMap(({ toolCallId, text }) => {
      const call = toolCallId === undefined ? undefined : calls.get(toolCallId);
      return call === undefined ? [] : [{ ...call, text }];
    });
  }

  /** Text of the newest tool result; empty when there is none yet. */
  get lastToolResult(): string {
    return this.toolResults.at(-1)?.text ?? "";
  }

  /** First group (or the whole match) in the newest message that matches, so that a script can use an id it was given. */
  find(pattern: RegExp): string {
    for (const { text } of this.messages.toReversed()) {
      const match = pattern.exec(text);
      if (match) return match[1] ?? match[0];
    }
    throw new Error(`no message of request ${this.number} matches ${String(pattern)}`);
  }
}

function textOf(content: WireMessage["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? `[${part.type}]`).join("");
}
