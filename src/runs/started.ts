import { ForemanError } from "../native.ts";
import type { RunRegistry } from "./registry.ts";
import type { Run } from "./run.ts";

/** A supervisor starts within milliseconds; on a machine that is on its knees it may take seconds. */
const START_DEADLINE_MS = 15_000;

/**
 * Waits until a run has started, so that its output file exists before its name is told. A run that could not be started
 * is forgotten: nobody was told of it.
 *
 * Errors: `ForemanError` when it could not be started, or when the core said nothing for 15 s.
 */
export function waitForStart(registry: RunRegistry, run: Run): Promise<void> {
  return new Promise((resolve, reject) => {
    const unhold = registry.hold();
    const settle = (action: () => void): void => {
      clearTimeout(timer);
      unwatch();
      unhold();
      action();
    };
    const fail = (error: ForemanError): void => {
      settle(() => {
        registry.forget(run);
        reject(error);
      });
    };
    const unwatch = registry.watch(run.id, (event) => {
      if (event.kind === "failed") fail(new ForemanError(event.code, event.message));
      else if (event.kind !== "snapshot") settle(resolve);
    });
    const timer = setTimeout(() => {
      registry.addon.requestStop(run.id, "abort", 0);
      fail(new ForemanError("SPAWN_FAILED", "the command's supervisor did not start within 15 s"));
    }, START_DEADLINE_MS);
  });
}
