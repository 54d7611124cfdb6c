import { ForemanError } from "../native.ts";
import { startDeadline } from "./deadline.ts";
import { guard, type RunRegistry } from "./registry.ts";
import type { Run } from "./run.ts";

/** A supervisor starts within milliseconds; on a machine that is on its knees it may take seconds. */
const START_DEADLINE_MS = 15_000;

/**
 * Waits until a run has started, so that its output file exists before its name is told. A run that could not be started
 * is forgotten: nobody was told of it. `aborted` comes at once; what may have started by then is ended behind it.
 *
 * Errors: `ForemanError` when it could not be started, or when the core said nothing for 15 s.
 */
export function waitForStart(registry: RunRegistry, run: Run, signal?: AbortSignal): Promise<"started" | "aborted"> {
  return new Promise((resolve, reject) => {
    const unhold = registry.hold();
    const settle = (action: () => void): void => {
      cancelDeadline();
      signal?.removeEventListener("abort", onAbort);
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
    const onAbort = (): void => {
      settle(() => {
        // What throws in a listener would end pi.
        guard(() => {
          endUntold(registry, run);
        });
        resolve("aborted");
      });
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    const unwatch = registry.watch(run.id, (event) => {
      if (event.kind === "failed") fail(new ForemanError(event.code, event.message));
      else if (event.kind !== "snapshot") {
        settle(() => {
          resolve("started");
        });
      }
    });
    const cancelDeadline = startDeadline(START_DEADLINE_MS, () => {
      registry.addon.requestStop(run.id, "abort", 0);
      fail(new ForemanError("SPAWN_FAILED", "the command's supervisor did not start within 15 s"));
    });
  });
}

/** Ends a run whose id nobody was given. */
function endUntold(registry: RunRegistry, run: Run): void {
  run.stopAsked = true;
  run.told = true;
  registry.save(run);
  const unwatch = registry.watch(run.id, (event) => {
    if (event.kind !== "ended" && event.kind !== "failed") return;
    unwatch();
    registry.forget(run);
  });
  registry.addon.requestStop(run.id, "abort", 0);
}
