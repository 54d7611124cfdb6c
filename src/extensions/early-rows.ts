import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

type Renderers = ReturnType<Parameters<ExtensionAPI["registerToolRenderer"]>[0]>;

/**
 * Draws the calls of these tools until they are registered: pi draws a session that is taken up again before it starts it,
 * with a tool of its own that has the same name, or as JSON.
 */
export function drawUntilRegistered(
  pi: Pick<ExtensionAPI, "registerToolRenderer">,
  makeTools: () => readonly { name: string }[],
  isRegistered: () => boolean,
): void {
  // Made when the first one is drawn: a start that draws nothing should not wait for them.
  let tools: readonly { name: string }[] | undefined;
  pi.registerToolRenderer((toolName, next) =>
    // Each is handed what it was registered for: its own arguments and results.
    isRegistered() ? next() : (((tools ??= makeTools()).find(({ name }) => name === toolName) as Renderers) ?? next()),
  );
}
