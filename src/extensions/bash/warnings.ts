import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** Said before; a new session must not say it again. */
const said = new Set<string>();

/** Says a line once per process: on stderr, or in pi's own screen where stderr would be drawn over it. */
export function warnOnce(message: string, ctx: Pick<ExtensionContext, "mode" | "ui">): void {
  if (said.has(message)) return;
  said.add(message);
  if (ctx.mode === "tui" && process.stderr.isTTY) ctx.ui.notify(message, "warning");
  else process.stderr.write(`${message}\n`);
}
