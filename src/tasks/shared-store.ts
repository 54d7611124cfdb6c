// A list that several processes work on. The disk is the truth; every change is made under the lock on what the disk
// says at that moment.
import { formatSaveNote } from "../format/task-save-note.ts";
import { DiskCopy, type DiskRead } from "./disk-copy.ts";
import { setDamagedAside } from "./disk-warnings.ts";
import { reasonOf } from "./errno.ts";
import { listFolderName } from "./list-id.ts";
import { acquireLock, type HeldLock, type LockOptions } from "./lock.ts";
import { ceilingOf, countMutation, raiseMark, type Ceiling } from "./merge.ts";
import { createSerialQueue } from "./serial-queue.ts";
import { lastSnapshot, snapshotCounters, stateEntry } from "./session-copy.ts";
import type { Mutation, Step, StoreContext, TaskStore } from "./store.ts";
import { EMPTY_LIST, type TaskList } from "./task.ts";

class SharedStore implements TaskStore {
  #list: TaskList;
  #ceiling: Ceiling;
  #warnedOfDamage = false;
  readonly #queue = createSerialQueue();
  readonly #listId: string;
  readonly #disk: DiskCopy;
  readonly #context: StoreContext;

  constructor(listId: string, context: StoreContext, disk: DiskCopy, list: TaskList, ceiling: Ceiling) {
    this.#listId = listId;
    this.#context = context;
    this.#disk = disk;
    this.#list = list;
    this.#ceiling = ceiling;
  }

  get list(): TaskList {
    return this.#list;
  }

  read(): Promise<TaskList> {
    return this.#queue.run(() => this.#refresh());
  }

  mutate<T>(step: Step<T>, signal?: AbortSignal): Promise<Mutation<T>> {
    return this.#queue.run(async () => {
      const { result, list, changed } = await this.#withLock({ signal }, async (lock) => {
        const before = await this.#refreshLocked();
        const outcome = step(before);
        if (outcome.list === before) return { result: outcome.result, list: before, changed: false };
        const next = countMutation(outcome.list, this.#ceiling);
        await this.#disk.write(next, { beforeRename: () => lock.verify() });
        this.#take(next);
        return { result: outcome.result, list: next, changed: true };
      });
      return { result, list, note: changed ? this.#append(list) : "" };
    });
  }

  beforeRewind(): Promise<void> {
    return this.#queue.settled();
  }

  /** Going back in the tree does not take back what others see. */
  async rewind(): Promise<void> {
    await this.read();
  }

  settled(): Promise<void> {
    return this.#queue.settled();
  }

  async #withLock<T>(options: LockOptions, work: (lock: HeldLock) => Promise<T>): Promise<T> {
    try {
      await this.#disk.makeFolder();
      const lock = await acquireLock(this.#disk.folder, options);
      try {
        return await work(lock);
      } finally {
        await lock.release();
      }
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw new Error(
        `the task list in ${this.#disk.file} could not be written (${reasonOf(error)}); nothing was changed`,
        {
          cause: error,
        },
      );
    }
  }

  /** What the disk says, without the lock: a reader sees the old file or the new one, whole. */
  async #refresh(): Promise<TaskList> {
    const read = await this.#disk.read();
    if (read.state === "damaged" || (read.state === "read" && read.badRecords > 0)) {
      // Only under the lock is it certain that the file set aside is the damaged one and not its replacement.
      try {
        return await this.#withLock({}, () => this.#refreshLocked(read));
      } catch (error) {
        if (!this.#warnedOfDamage) {
          this.#warnedOfDamage = true;
          this.#context.warn(
            `Task list: ${this.#disk.file} could not be read; ${reasonOf(error)}. The last known list is used.`,
          );
        }
      }
    }
    return this.#adopt(read);
  }

  async #refreshLocked(known?: DiskRead): Promise<TaskList> {
    const read = await this.#disk.read();
    // "unchanged" is what the caller has just read, with whatever was wrong in it.
    const effective = read.state === "unchanged" && known !== undefined ? known : read;
    await setDamagedAside(this.#disk, effective, this.#context.warn);
    return this.#adopt(effective);
  }

  #adopt(read: DiskRead): TaskList {
    if (read.state === "read") this.#take(raiseMark(read.list, this.#ceiling));
    return this.#list;
  }

  #take(list: TaskList): void {
    this.#list = list;
    this.#ceiling = ceilingOf([this.#ceiling, list]);
    this.#context.onChange(list);
  }

  #append(list: TaskList): string {
    try {
      this.#context.session.append(stateEntry(list, this.#listId));
      return "";
    } catch (error) {
      return formatSaveNote({ session: reasonOf(error) });
    }
  }
}

/** The shared list as it is on disk; where that is missing or damaged, as this session last knew it. */
export async function openSharedStore(listId: string, context: StoreContext): Promise<TaskStore> {
  const disk = new DiskCopy(context.root, listFolderName(listId));
  await disk.sweep();
  const counters = snapshotCounters(context.session.entries(), listId);
  const known = lastSnapshot(context.session.branch(), listId)?.list ?? EMPTY_LIST;
  const ceiling = ceilingOf([...counters, known]);
  const store = new SharedStore(listId, context, disk, raiseMark(known, ceiling), ceiling);
  try {
    await store.read();
  } catch (error) {
    context.warn(`Task list: ${disk.file} could not be read (${reasonOf(error)}). The last known list is used.`);
  }
  return store;
}
