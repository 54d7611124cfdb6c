import type { Addon } from "../native.ts";
import { outputBase, outputBases } from "./output-paths.ts";
import { removeOldOutputs } from "./retention.ts";

/**
 * Ends what dead hosts have left behind and removes old output. Takes as long as it takes, off the event loop; what
 * fails is tried again at the next start. Never rejects.
 */
export async function cleanUpAfterOthers(addon: Addon, nowMs: number = Date.now()): Promise<void> {
  try {
    const { liveOutputs } = await addon.sweep(outputBase());
    for (const base of outputBases(addon)) await removeOldOutputs({ base, liveOutputs, nowMs });
  } catch {
    // Without knowing what lives, nothing is removed.
  }
}
