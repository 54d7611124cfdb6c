import type { TaskStore } from "../tasks/store.ts";

/** What the four tools are given. */
export interface TaskToolOptions {
  /** The list of the session that is open at that moment. Throws when none is. */
  store: () => TaskStore;
  verificationNudge: boolean;
}
