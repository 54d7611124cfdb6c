// The list of one session. The session file is the truth, the disk copy the fallback for an entry that could not be
// appended.
import { formatSaveNote, type SaveTrouble } from "../format/task-save-note.ts";
import { DiskCopy, type DiskRead } from "./disk-copy.ts";
import { setDamagedAside } from "./disk-warnings.ts";
import { reasonOf } from "./errno.ts";
import { listFolderName } from "./list-id.ts";
import { ceilingOf, countMutation, mergeAtBranch, mergeAtStart, raiseMark, type Ceiling, type Start } from "./merge.ts";
import { createSerialQueue } from "./serial-queue.ts";
import { lastSnapshot, snapshotCounters, stateEntry } from "./session-copy.ts";
import type { Mutation, Step, StoreContext, TaskStore } from "./store.ts";
import type { TaskList } from "./task.ts";

class SessionStore implements TaskStore {
  #list: TaskList;
  #ceiling: Ceiling;
  /** The last entry could not be appended, by this pi or by the one before. */
  #unappended: boolean;
  readonly #queue = createSerialQueue();
  readonly #disk: DiskCopy;
  readonly #context: StoreContext;

  constructor(context: StoreContext, disk: DiskCopy, start: Start) {
    this.#context = context;
    this.#disk = disk;
    this.#list = start.list;
    this.#ceiling = start.ceiling;
    this.#unappended = start.unappended;
  }

  get list(): TaskList {
    return this.#list;
  }

  read(): Promise<TaskList> {
    return this.#queue.run(() => this.#list);
  }

  mutate<T>(step: Step<T>): Promise<Mutation<T>> {
    return this.#queue.run(async () => {
      await this.#countOthers();
      const before = raiseMark(this.#list, this.#ceiling);
      const { list, result } = step(before);
      if (list === before) return { result, list: this.#list, note: "" };
      const next = countMutation(list, this.#ceiling);
      this.#take(next);
      const trouble: SaveTrouble = {};
      const appendFailure = this.#append();
      if (appendFailure !== undefined) trouble.session = appendFailure;
      try {
        await this.#disk.write(next);
      } catch (error) {
        trouble.disk = { path: this.#disk.file, reason: reasonOf(error) };
      }
      return { result, list: next, note: formatSaveNote(trouble) };
    });
  }

  beforeRewind(): Promise<void> {
    return this.#queue.run(() => {
      if (this.#unappended) this.#append();
    });
  }

  rewind(): Promise<void> {
    return this.#queue.run(async () => {
      const branch = mergeAtBranch(lastSnapshot(this.#context.session.branch(), undefined)?.list, this.#ceiling);
      if (!this.#unappended) {
        this.#take(branch);
        return;
      }
      // What is on disk belongs to the place that was left, and is newer than every entry: the next start would take it.
      this.#unappended = false;
      this.#take(countMutation(branch, this.#ceiling));
      await this.#disk.write(this.#list).catch(() => undefined);
    });
  }

  settled(): Promise<void> {
    return this.#queue.settled();
  }

  /**
   * Another pi may have this session open. It goes on in a branch of its own, with a list of its own, but both count ids and
   * revisions on: no id is given twice, and of two copies of the session's list the newer one is known.
   */
  async #countOthers(): Promise<void> {
    try {
      const read = await this.#disk.read();
      if (read.state === "read") this.#ceiling = ceilingOf([this.#ceiling, read.list]);
    } catch {
      // Without the disk, each counts for itself.
    }
  }

  #take(list: TaskList): void {
    this.#list = list;
    this.#ceiling = ceilingOf([this.#ceiling, list]);
    this.#context.onChange(list);
  }

  /** Why it failed, or nothing. */
  #append(): string | undefined {
    try {
      this.#context.session.append(stateEntry(this.#list, undefined));
      this.#unappended = false;
      return undefined;
    } catch (error) {
      this.#unappended = true;
      return reasonOf(error);
    }
  }
}

/** The list of a session as it starts, is resumed, reloaded or forked. Reads; never writes, but to set damage aside. */
export async function openSessionStore(sessionId: string, context: StoreContext): Promise<TaskStore> {
  const disk = new DiskCopy(context.root, listFolderName(sessionId));
  await disk.sweep();
  let read: DiskRead = { state: "missing" };
  try {
    read = await disk.read();
    await setDamagedAside(disk, read, context.warn);
  } catch (error) {
    context.warn(`Task list: ${disk.file} could not be read (${reasonOf(error)}). The session's own copy is used.`);
  }
  const start = mergeAtStart({
    branch: lastSnapshot(context.session.branch(), undefined)?.list,
    all: snapshotCounters(context.session.entries(), undefined),
    disk: read.state === "read" ? read.list : undefined,
  });
  return new SessionStore(context, disk, start);
}
