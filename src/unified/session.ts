import { readAncestry, type Ancestry } from "../agents/ancestry.ts";
import { AgentPool } from "../agents/pool.ts";
import { addUsage, NO_PROGRESS, type Usage } from "../agents/progress.ts";
import { MAX_TIMER_MS } from "../config.ts";
import { whenAborted } from "../runs/when-aborted.ts";
import type { RunService } from "../runs/service.ts";
import { TaskJournal } from "./journal.ts";
import { OutputCursors } from "./output-cursor.ts";
import { OutputWatch } from "./output-watch.ts";
import { followStopRequests } from "./stop-requests.ts";
import { TaskBook } from "./task-book.ts";
import { TaskScope } from "./task-scope.ts";

/** A start that asks nobody takes some hundredths of a second; a look waits so long for it at most. */
export const START_BOUND_MS = 1_000;

/** What all sessions of this process share. */
export interface UnifiedService {
  service: RunService;
  pool: AgentPool;
  journal: TaskJournal;
  cursors: OutputCursors;
  watch: OutputWatch;
  ancestry: Ancestry;
  /** Of each session that this process has been in. */
  books: Map<string, TaskBook>;
}

let shared: UnifiedService | undefined;

/** Where the modules that are evaluated anew find the books of those before. */
const SLOT = Symbol.for("pi-foreman.task-books");

type Slots = typeof globalThis & { [SLOT]?: ReadonlyMap<string, Pick<TaskBook, "retire">> };

/** The agents and cursors of this process; the same as long as its runs are the same. */
export function unifiedService(service: RunService): UnifiedService {
  if (shared?.service !== service) {
    const slots: Slots = globalThis;
    // Nobody tells them any more what happens, and they would write what they know over what ours know.
    for (const book of slots[SLOT]?.values() ?? []) book.retire();
    shared = {
      service,
      pool: new AgentPool(service),
      journal: new TaskJournal(service.registry.addon),
      cursors: new OutputCursors(service.registry.addon),
      watch: new OutputWatch(),
      ancestry: readAncestry(process.env),
      books: new Map(),
    };
    slots[SLOT] = shared.books;
  }
  return shared;
}

function openBook(parts: UnifiedService, sessionId: string, graceMs: number): TaskBook {
  const book = new TaskBook(parts, sessionId, parts.ancestry);
  parts.books.set(sessionId, book);
  followStopRequests(parts, book, graceMs);
  return book;
}

/** One session's view of the tasks. */
export class UnifiedSession {
  readonly sessionId: string;
  readonly parts: UnifiedService;
  readonly book: TaskBook;
  readonly scope: TaskScope;
  /** Awaits in a row that brought nothing and were not full-length. */
  fruitlessAwaits = 0;
  readonly #waits = new Set<AbortController>();
  readonly #starts = new Set<Promise<unknown>>();

  constructor(parts: UnifiedService, sessionId: string, graceMs: number) {
    this.parts = parts;
    this.sessionId = sessionId;
    this.book = parts.books.get(sessionId) ?? openBook(parts, sessionId, graceMs);
    this.scope = new TaskScope(this.book, parts.journal);
    this.book.enter();
  }

  /** A signal that aborts when a wait of this session is to end early; `release` when the wait is over. */
  openWait(signal: AbortSignal | undefined): { interruption: AbortSignal; release: () => void } {
    const controller = new AbortController();
    const onAbort = (): void => {
      controller.abort();
    };
    this.#waits.add(controller);
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    return {
      interruption: controller.signal,
      release: () => {
        this.#waits.delete(controller);
        signal?.removeEventListener("abort", onAbort);
      },
    };
  }

  /** A task is being started in the background; until then it is in no list. Gives the same promise. */
  noteStart<Started>(start: Promise<Started>): Promise<Started> {
    this.#starts.add(start);
    const forget = (): void => {
      this.#starts.delete(start);
    };
    start.then(forget, forget);
    return start;
  }

  /**
   * Resolves when what was being started is listed, or has failed: one turn may start a task and ask for it. A start may
   * also wait for a person who is asked whether it may, so this waits no longer than `boundMs`. False: one is pending.
   */
  async waitForStarts(boundMs: number, interruption?: AbortSignal): Promise<boolean> {
    const pending = [...this.#starts];
    if (pending.length === 0) return true;
    const over = new AbortController();
    const bound = AbortSignal.any([over.signal, ...(interruption === undefined ? [] : [interruption])]);
    const unhold = this.parts.service.registry.hold();
    const timer = setTimeout(
      () => {
        over.abort();
      },
      Math.min(boundMs, MAX_TIMER_MS),
    );
    try {
      const started = Promise.allSettled(pending).then(() => true);
      return await Promise.race([started, whenAborted(bound).then(() => false)]);
    } finally {
      clearTimeout(timer);
      unhold();
    }
  }

  /** What its agents have used that have ended since it was asked the last time; undefined: none has. */
  takeUsage(): Usage | undefined {
    const ended = this.book.list().filter((record) => record.usage !== undefined && record.usageTold !== true);
    // What another process has run it tells itself.
    const untold = ended.filter((record) => !this.book.isElsewhere(record));
    if (untold.length === 0) return undefined;
    for (const record of untold) this.book.note(record, { usageTold: true });
    return untold.reduce((sum, { usage }) => addUsage(sum, usage), NO_PROGRESS.usage);
  }

  /** The person has something to say: nobody is to wait on. */
  interruptWaits(): void {
    for (const controller of this.#waits) controller.abort();
  }
}
