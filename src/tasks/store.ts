// What the tools, the UI and the extension know of a list that is kept somewhere.
import type { SessionEntryView, StateEntry } from "./session-copy.ts";
import type { TaskList } from "./task.ts";

/** A pure step: the list after it (the same object: nothing changed) and what it has to say. */
export type Step<T> = (list: TaskList) => { list: TaskList; result: T };

export interface Mutation<T> {
  result: T;
  /** The list after the step. */
  list: TaskList;
  /** To be appended to the result: which copy could not be written. Usually empty. */
  note: string;
}

export interface TaskStore {
  /** Last known state; never waits. */
  readonly list: TaskList;
  /** The state after every call made so far. */
  read(): Promise<TaskList>;
  /**
   * Makes a change after every call made so far. When it has resolved, the change is where `note` says.
   *
   * Errors: a shared list that cannot be locked or written; nothing has changed then.
   */
  mutate<T>(step: Step<T>, signal?: AbortSignal): Promise<Mutation<T>>;
  /** About to go elsewhere in the tree: what could not be appended is tried again while its place is the leaf. */
  beforeRewind(): Promise<void>;
  /** Takes over what the branch says now. */
  rewind(): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

/** The session as a store needs it. */
export interface SessionAccess {
  /** From the root to the leaf. */
  branch(): readonly SessionEntryView[];
  /** All entries of the file. */
  entries(): readonly SessionEntryView[];
  /** May throw. */
  append(state: StateEntry): void;
}

export interface StoreContext {
  session: SessionAccess;
  /** Folder of all lists. */
  root: string;
  /** For the person; once per trouble. */
  warn: (message: string) => void;
  /** The list has changed; must not throw. */
  onChange: (list: TaskList) => void;
}
