import type { TaskJournal } from "./journal.ts";
import type { TaskBook } from "./task-book.ts";
import type { TaskRecord } from "./task-record.ts";

/** Far more generations than can be configured; a damaged record must not make a circle. */
const MAX_GENERATIONS = 20;

export type Found = { kind: "mine"; record: TaskRecord } | { kind: "someone-else" } | { kind: "unknown" };

/**
 * The tasks that a session may see: its own and those of its descendants. Found by walking down the tree of sessions, so
 * what is not reached is not in scope, in whichever process it runs or has run.
 */
export class TaskScope {
  readonly #book: TaskBook;
  readonly #journal: TaskJournal;

  constructor(book: TaskBook, journal: TaskJournal) {
    this.#book = book;
    this.#journal = journal;
  }

  /** All of them by start, so that parents come before their children. */
  list(): TaskRecord[] {
    this.#book.refresh();
    const found: TaskRecord[] = [];
    this.#collect(this.#book.list(), false, 0, found);
    return found.sort((a, b) => a.createdAtMs - b.createdAtMs);
  }

  /** Tasks that are queued or running. */
  active(): TaskRecord[] {
    return this.list().filter((record) => record.state !== "ended");
  }

  /** The tasks of an agent and of its agents, children after parents. */
  below(agent: TaskRecord): TaskRecord[] {
    const found: TaskRecord[] = [];
    this.#collectChildren(agent, agent.state === "ended", 0, found);
    return found;
  }

  find(taskId: string, runId: string): Found {
    const known = this.#book.get(runId);
    const isOwn = known !== undefined && !this.#book.isElsewhere(known);
    const record = isOwn ? known : this.list().find((candidate) => candidate.runId === runId);
    // There is one task of this number, and it is of the other kind.
    if (record !== undefined) return record.taskId === taskId ? { kind: "mine", record } : { kind: "unknown" };
    const { sessionId } = this.#book;
    return { kind: this.#journal.existsElsewhere(sessionId, runId) ? "someone-else" : "unknown" };
  }

  #collect(records: readonly TaskRecord[], ownerEnded: boolean, generation: number, found: TaskRecord[]): void {
    for (const record of records) {
      // Its process could not write down the end of what ended with it.
      const current: TaskRecord =
        ownerEnded && record.state !== "ended" ? { ...record, state: "ended", outcome: "killed" } : record;
      found.push(current);
      this.#collectChildren(current, current.state === "ended", generation, found);
    }
  }

  #collectChildren(agent: TaskRecord, ended: boolean, generation: number, found: TaskRecord[]): void {
    if (agent.childSessionId === undefined || agent.childSessionId === this.#book.sessionId) return;
    if (generation >= MAX_GENERATIONS) return;
    this.#collect(this.#journal.readSession(agent.childSessionId), ended, generation + 1, found);
  }
}
