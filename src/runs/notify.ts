import { formatNotification, summarizeOutcome, type TaskNotice } from "../format/notification.ts";
import { guard, type RunRegistry } from "./registry.ts";
import { exitCodeOf, taskIdOf, type Run } from "./run.ts";

/** Tasks that end together are told together; a person does not feel this wait. */
const BATCH_MS = 50;

/** How often an agent that does something without telling (pi compacts) is looked at again while a notice waits. */
const BUSY_RETRY_MS = 250;

/** Custom type of the message; a renderer is registered under it. */
export const NOTIFICATION_TYPE = "task-notification";

/** One message for the model, from no human. */
export interface NotificationMessage {
  customType: typeof NOTIFICATION_TYPE;
  content: string;
  display: true;
  details: { tasks: TaskNotice[] };
}

/** How a message reaches the agent of one session. */
export interface NotificationSink {
  /** The agent does nothing; a message would have to wake it. */
  isIdle(): boolean;
  /** `wake`: start a turn, or be the next thing a running turn hears. Without, it waits for the next prompt. */
  send(message: NotificationMessage, wake: boolean): void;
  /** Whether the model can call TaskStop now. */
  hasTaskStop(): boolean;
  /** A line for the person. */
  toast(text: string, kind: "info" | "warning"): void;
}

/**
 * Tells models of the ends of their background tasks: each once, several at once in one message, to the session that
 * owns the task. While that session is not there, or its agent is in the middle of a turn, the notices wait.
 */
export class Notifier {
  readonly #registry: RunRegistry;
  readonly #sinks = new Map<string, NotificationSink>();
  readonly #pending: Run[] = [];
  #enabled = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(registry: RunRegistry) {
    this.#registry = registry;
    registry.onSettled((run) => {
      this.add(run);
      this.#toast(run);
    });
  }

  /** Off: ends are shown to the person and kept from the model. */
  setEnabled(enabled: boolean): void {
    this.#enabled = enabled;
  }

  /** A session is there from now on; what waited for it is told soon. */
  attach(sessionId: string, sink: NotificationSink): void {
    this.#sinks.set(sessionId, sink);
    this.#flushSoon();
  }

  detach(sessionId: string): void {
    this.#sinks.delete(sessionId);
  }

  sessionCount(): number {
    return this.#sinks.size;
  }

  /** Takes a run whose end is to be told. Whether it still has to be is asked when the message is made. */
  add(run: Run): void {
    if (!this.#pending.includes(run)) this.#pending.push(run);
    this.#flushSoon();
  }

  /** The message for what has ended in this session and was not told yet; from now on it counts as told. */
  take(sessionId: string): NotificationMessage | undefined {
    const hasTaskStop = this.#sinks.get(sessionId)?.hasTaskStop() ?? true;
    const runs = this.#pending.filter((run) => run.sessionId === sessionId);
    for (const run of runs) this.#pending.splice(this.#pending.indexOf(run), 1);
    const untold = runs.filter((run) => !run.told);
    for (const run of untold) {
      run.told = true;
      this.#registry.save(run);
    }
    if (!this.#enabled || untold.length === 0) return undefined;
    const tasks = untold.map((run) => ({ ...noticeOf(run), ...(!hasTaskStop && { unstoppable: true }) }));
    return { customType: NOTIFICATION_TYPE, content: formatNotification(tasks), display: true, details: { tasks } };
  }

  /** Sends what waits for this session now. When the agent cannot be reached, it waits on. */
  flush(sessionId: string, wake: boolean): void {
    const sink = this.#sinks.get(sessionId);
    if (sink === undefined) return;
    const waiting = this.#pending.filter((run) => run.sessionId === sessionId && !run.told);
    const message = this.take(sessionId);
    if (message === undefined) return;
    try {
      sink.send(message, wake);
    } catch {
      // A session that is being replaced throws; the notices wait until it is there again.
      this.detach(sessionId);
      for (const run of waiting) {
        run.told = false;
        this.#registry.save(run);
        this.#pending.push(run);
      }
    }
  }

  #flushSoon(delayMs = BATCH_MS): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      for (const [sessionId, sink] of [...this.#sinks]) {
        guard(() => {
          if (sink.isIdle()) this.flush(sessionId, true);
          else if (this.#isWaiting(sessionId)) this.#flushSoon(BUSY_RETRY_MS);
        });
      }
    }, delayMs);
    // An end that nobody waits for must not keep the process.
    this.#timer.unref();
  }

  #isWaiting(sessionId: string): boolean {
    return this.#pending.some((run) => run.sessionId === sessionId && !run.told);
  }

  /** Shown where the owner is, else wherever somebody looks. */
  #toast(run: Run): void {
    if (run.told) return;
    const sink = this.#sinks.get(run.sessionId) ?? [...this.#sinks.values()][0];
    guard(() => sink?.toast(summarizeOutcome(noticeOf(run)), run.state === "failed" ? "warning" : "info"));
  }
}

/** What is to be told of a run that has ended. */
export function noticeOf(run: Run): TaskNotice {
  const exitCode = exitCodeOf(run.exit);
  return {
    id: taskIdOf(run),
    ...(run.task !== undefined && { task: run.task.kind }),
    outputPath: run.outputPath,
    status: run.state === "running" ? "completed" : run.state,
    ...(exitCode !== undefined && { exitCode }),
    command: run.command,
    ...(run.description !== undefined && { description: run.description }),
    ...(run.leftover && { leftover: true }),
    ...(run.stopAsked && { stopAsked: true }),
    ...(run.reason === "timeout" && { timedOut: true }),
    ...(run.membersLeft && { membersLeft: true }),
    ...(run.captureError !== undefined && {
      captureError: { code: run.captureError.code, bytesLost: run.captureError.bytesLost },
    }),
  };
}
