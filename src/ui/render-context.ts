import type { ToolDefinition } from "@earendil-works/pi-coding-agent";

type PiRenderContext = Parameters<NonNullable<ToolDefinition["renderCall"]>>[2];

/** What pi gives to a tool's renderers, with the type of our state. pi does not export its own name for it. */
export type RenderContext<State> = Omit<PiRenderContext, "state" | "args"> & { state: State };
