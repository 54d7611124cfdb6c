import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** pi ends by itself after the answer. */
export function isOneShot({ mode }: Pick<ExtensionContext, "mode">): boolean {
  return mode === "print" || mode === "json";
}
