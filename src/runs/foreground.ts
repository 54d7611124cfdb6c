import type { CaptureError, EndReason, Exit, RunEvent, Snapshot, StopResult, StreamWindow } from "../native.ts";
import { ForemanError } from "../native.ts";
import { startDeadline } from "./deadline.ts";
import { guard, type RunRegistry } from "./registry.ts";
import type { Run } from "./run.ts";

/** An abort is answered within a second, so this is when its answer begins … */
const ABORT_ANSWER_AFTER_MS = 700;
/** … and how long it may wait for what was printed so far. */
const SNAPSHOT_WAIT_MS = 200;
/** KILL, its repetition and the core's report of survivors fit in; after that the core itself is stuck. */
const STUCK_AFTER_GRACE_MS = 5_000;

/** Who moved a run to the background. */
export type PromotionCause = "timeout" | "interrupt" | "message" | "person";

/** How a wait came out. The snapshot is what was printed by then. */
export type ForegroundAnswer =
  | {
      kind: "exited";
      exit: Exit | undefined;
      reason: EndReason;
      /** Processes that the command started are still running. */
      membersLeft: boolean;
      /** After a timeout that could not end everything. */
      result: StopResult | undefined;
      captureError: CaptureError | undefined;
      snapshot: Snapshot;
    }
  | { kind: "promoted"; cause: PromotionCause; snapshot: Snapshot }
  | { kind: "aborted"; exit: Exit | undefined; snapshot: Snapshot };

export interface ForegroundWait {
  run: Run;
  signal: AbortSignal | undefined;
  timeoutMs: number;
  graceMs: number;
  /** An interruption moves the command to the background instead of ending it. */
  promoteOnInterrupt: boolean;
}

/** Why a run is being promoted, until the core has answered; read by the wait that it ends. */
const causes = new WeakMap<Run, PromotionCause>();

/** Notes who asked for the promotion that the core is about to confirm. */
export function notePromotionCause(run: Run, cause: PromotionCause): void {
  if (!causes.has(run)) causes.set(run, cause);
}

/**
 * Waits until the command has ended or goes on without its caller. Settles once, whatever happens:
 * with the end of the shell, a promotion, within a second of an abort, or, should the core fall silent, by its own clock.
 *
 * Keeps Node alive meanwhile. Afterwards the run is still in the registry; the rest of an abort's grace goes on behind.
 *
 * Errors: `ForemanError` when the command could not be started.
 */
export function waitForAnswer(registry: RunRegistry, wait: ForegroundWait): Promise<ForegroundAnswer> {
  return new Promise((resolve, reject) => {
    new Waiting(registry, wait, resolve, reject).begin();
  });
}

class Waiting {
  readonly #registry: RunRegistry;
  readonly #wait: ForegroundWait;
  readonly #resolve: (answer: ForegroundAnswer) => void;
  readonly #reject: (error: ForemanError) => void;
  readonly #timers = new Set<NodeJS.Timeout>();
  #release: () => void = () => undefined;
  #snapshot: Snapshot = EMPTY_SNAPSHOT;
  /** Answers with whatever is known once the next snapshot is there. */
  #onSnapshot: (() => void) | undefined;
  #aborting = false;

  constructor(
    registry: RunRegistry,
    wait: ForegroundWait,
    resolve: (answer: ForegroundAnswer) => void,
    reject: (error: ForemanError) => void,
  ) {
    this.#registry = registry;
    this.#wait = wait;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(): void {
    const { run, signal, timeoutMs, graceMs } = this.#wait;
    const unhold = this.#registry.hold();
    const unwatch = this.#registry.watch(run.id, (event) => {
      this.#take(event);
    });
    // Whatever is thrown in a listener or a timer would end pi.
    const onAbort = (): void => {
      guard(() => {
        this.#interrupt();
      });
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    // The core's own timeout comes first; this one is for a core that says nothing.
    const cancelDeadline = startDeadline(timeoutMs + graceMs + STUCK_AFTER_GRACE_MS, () => {
      this.#giveUp();
    });
    this.#release = () => {
      cancelDeadline();
      unhold();
      unwatch();
      signal?.removeEventListener("abort", onAbort);
      for (const timer of this.#timers) clearTimeout(timer);
    };
    if (signal?.aborted === true) this.#interrupt();
  }

  #take(event: RunEvent): void {
    switch (event.kind) {
      case "failed":
        this.#release();
        this.#reject(new ForemanError(event.code, event.message));
        return;
      case "promoted":
        // By the timeout, in the moment of the abort: the stop is on its way, so it will not run on.
        if (this.#aborting) {
          this.#snapshot = event.snapshot;
          return;
        }
        this.#answer({
          kind: "promoted",
          cause: event.by === "timeout" ? "timeout" : (causes.get(this.#wait.run) ?? "person"),
          snapshot: event.snapshot,
        });
        return;
      case "shell-exited":
        this.#snapshot = event.snapshot;
        this.#answerExited(event.exit, event.reason, event.membersLeft, undefined, event.captureError);
        return;
      case "ended":
        this.#answerExited(event.exit, event.reason, false, undefined, event.captureError);
        return;
      case "snapshot":
        if (this.#onSnapshot !== undefined && !isTailOnly(event.snapshot)) {
          this.#snapshot = event.snapshot;
          this.#onSnapshot();
        }
        return;
      case "stop-result": {
        // Not everything could be ended: the caller must not wait for what cannot be.
        const { result } = event;
        this.#answerWithSnapshot(() => {
          this.#answerExited(this.#wait.run.exit, this.#aborting ? "abort" : "timeout", true, result, undefined);
        });
        return;
      }
      default:
        return;
    }
  }

  #interrupt(): void {
    const { run, signal } = this.#wait;
    if (this.#wait.promoteOnInterrupt && signal?.reason === "interrupt") {
      notePromotionCause(run, "interrupt");
      if (this.#registry.addon.requestPromotion(run.id)) return;
    }
    // It was moved a moment ago and is no longer what is aborted; only, the core has not confirmed yet, and may not.
    if (causes.has(run)) {
      this.#later(ABORT_ANSWER_AFTER_MS, () => {
        this.#abort(0);
      });
    } else this.#abort(ABORT_ANSWER_AFTER_MS);
  }

  #abort(answerAfterMs: number): void {
    const { run, graceMs } = this.#wait;
    this.#aborting = true;
    run.stopAsked = true;
    this.#registry.addon.requestStop(run.id, "abort", graceMs);
    this.#later(answerAfterMs, () => {
      this.#answerWithSnapshot(() => {
        this.#answer({ kind: "aborted", exit: undefined, snapshot: this.#snapshot });
      });
    });
  }

  #giveUp(): void {
    const { run } = this.#wait;
    this.#registry.addon.requestStop(run.id, "timeout", 0);
    this.#answerWithSnapshot(() => {
      this.#answerExited(
        run.exit,
        "timeout",
        true,
        { state: "unknown", why: "the supervisor did not answer" },
        undefined,
      );
    });
  }

  #answerWithSnapshot(answer: () => void): void {
    if (this.#onSnapshot !== undefined) return;
    this.#onSnapshot = answer;
    const asked = this.#registry.addon.requestSnapshot(this.#wait.run.id);
    this.#later(asked ? SNAPSHOT_WAIT_MS : 0, answer);
  }

  #answerExited(
    exit: Exit | undefined,
    reason: EndReason,
    membersLeft: boolean,
    result: StopResult | undefined,
    captureError: CaptureError | undefined,
  ): void {
    // A natural end or a timeout that came before the abort stays what it was.
    if (reason === "abort" || reason === "quit") this.#answer({ kind: "aborted", exit, snapshot: this.#snapshot });
    else this.#answer({ kind: "exited", exit, reason, membersLeft, result, captureError, snapshot: this.#snapshot });
  }

  #answer(answer: ForegroundAnswer): void {
    this.#release();
    this.#resolve(answer);
  }

  #later(delayMs: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      guard(action);
    }, delayMs);
    this.#timers.add(timer);
  }
}

/** One that a display asked for may be on its way; it lacks the start. */
function isTailOnly({ stdout, stderr }: Snapshot): boolean {
  return [stdout, stderr].some((window) => window.totalBytes > 0 && window.head.length === 0);
}

const EMPTY_WINDOW: StreamWindow = { head: new Uint8Array(), tail: new Uint8Array(), totalBytes: 0, totalLines: 0 };

/** Of a run that has printed nothing, or of which nothing is known. */
export const EMPTY_SNAPSHOT: Snapshot = { stdout: EMPTY_WINDOW, stderr: EMPTY_WINDOW };
