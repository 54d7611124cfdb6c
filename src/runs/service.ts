import type { Addon } from "../native.ts";
import { Handovers } from "./handover.ts";
import { Notifier } from "./notify.ts";
import { RunRegistry } from "./registry.ts";

/** What all sessions of this process share. */
export interface RunService {
  registry: RunRegistry;
  notifier: Notifier;
  handovers: Handovers;
  /** pi is ending: nothing new is to be started. */
  quitting: boolean;
}

let service: RunService | undefined;

/**
 * The runs of this process. Created at the first call from what the addon remembers, so that runs outlive a
 * re-evaluation of the modules; ends that came meanwhile are told as if they came now.
 */
export function runService(addon: Addon): RunService {
  if (service?.registry.addon === addon) return service;
  const registry = new RunRegistry(addon);
  const notifier = new Notifier(registry);
  for (const run of registry.restore()) notifier.add(run);
  service = { registry, notifier, handovers: new Handovers(), quitting: false };
  return service;
}
