import type { AgentToolResult } from "@earendil-works/pi-coding-agent";

type StructuredContent = NonNullable<AgentToolResult<unknown>["structuredContent"]>;

/** A result whose text is the payload as JSON; the same object is `details`, for renderers and other extensions. */
export function jsonResult<Payload extends object>(payload: Payload): AgentToolResult<Payload> {
  return {
    content: [{ type: "text", text: JSON.stringify(payload) }],
    details: payload,
    structuredContent: payload as StructuredContent,
  };
}
