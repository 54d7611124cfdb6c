// What every way of running a command from Node can be asked to do here, so that all are driven alike.

/** A command that has ended, with how long the two parts took. */
export interface Finished {
  /** From before the call to the result with exit code and output. */
  ms: number;
  /** The part of it for which the call itself held the event loop. */
  callMs: number;
}

/** A command whose whole output is in a file. */
export interface Captured {
  /** From before the call until the file is complete. */
  ms: number;
  path: string;
}

/** A command that runs. */
export interface Started {
  id: string;
  shellPid: number;
}

/** One way of running commands. Every method rejects when the command fails. */
export interface Contestant {
  runForeground(command: string): Promise<Finished>;
  /** `expectedBytes` is for whoever does not say when the file is complete. `capBytes`: write no more than that. */
  capture(command: string, expectedBytes: number, capBytes?: number): Promise<Captured>;
  start(command: string): Promise<Started>;
  /** Milliseconds until it says that the tree has ended. */
  stop(id: string, graceMs: number): Promise<number>;
  /** Milliseconds and number of lines; undefined when it cannot. */
  filter?(path: string, pattern: string): Promise<{ ms: number; lines: number } | undefined>;
  /** Milliseconds, and for how many of them the call held the event loop; undefined when it cannot. */
  tail?(path: string, maxBytes: number): Promise<Finished | undefined>;
}
