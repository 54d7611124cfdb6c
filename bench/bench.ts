// What a file of rows is, and what it may use.
import type { Row, Skipped } from "./table.ts";
import type { Workspace } from "./workspace.ts";

export const MIB = 1024 ** 2;
export const GIB = 1024 ** 3;

export interface Setting {
  workspace: Workspace;
  /** Counted runs of each contestant. */
  rounds: number;
  /** Small sizes: shows that the benches work, not how fast anything is. */
  quick: boolean;
}

/** Measures one group of rows. */
export type Bench = (setting: Setting) => Promise<(Row | Skipped)[]>;
