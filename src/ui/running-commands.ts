// Where the part that runs commands tells the part that shows tasks what is running. The two are loaded as separate
// extensions, each possibly without the other, so they meet in the process and not in an import.

export interface RunningCommand {
  id: string;
  /** As the model gave it; may be long and have several lines. */
  command: string;
  /** Unix milliseconds. */
  startedAtMs: number;
}

/** Answers at once, from memory. */
export type RunningCommandsSource = () => readonly RunningCommand[];

const SLOT = Symbol.for("pi-foreman.running-commands");

type Slots = typeof globalThis & { [SLOT]?: RunningCommandsSource | undefined };

/** Fills the slot; the last one wins, nothing empties it. */
export function offerRunningCommands(source: RunningCommandsSource | undefined): void {
  (globalThis as Slots)[SLOT] = source;
}

/** What is running now; nothing when no part of the program runs commands. Never throws. */
export function listRunningCommands(): readonly RunningCommand[] | undefined {
  try {
    return (globalThis as Slots)[SLOT]?.();
  } catch {
    return undefined;
  }
}
