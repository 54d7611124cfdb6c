// Stores over pi's own session manager: what is appended here is appended as in pi.
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { STATE_ENTRY_TYPE, type StateEntry } from "../../src/tasks/session-copy.ts";
import { openSessionStore } from "../../src/tasks/session-store.ts";
import { openSharedStore } from "../../src/tasks/shared-store.ts";
import type { StoreContext, TaskStore } from "../../src/tasks/store.ts";
import { createTask } from "../../src/tasks/create-task.ts";
import type { TaskList } from "../../src/tasks/task.ts";
import { updateTask, type TaskChange } from "../../src/tasks/update-task.ts";

export interface Desk {
  manager: SessionManager;
  warnings: string[];
  shown: TaskList[];
  /** While true, the session cannot be written. */
  appendFails: boolean;
  context: StoreContext;
}

/** A session and everything a store needs around it. */
export function createDesk(root: string, manager: SessionManager = SessionManager.inMemory()): Desk {
  const desk: Desk = {
    manager,
    warnings: [],
    shown: [],
    appendFails: false,
    context: {
      root,
      session: {
        branch: () => manager.getBranch(),
        entries: () => manager.getEntries(),
        append: (state: StateEntry) => {
          if (desk.appendFails) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
          manager.appendCustomEntry(STATE_ENTRY_TYPE, state);
        },
      },
      warn: (message) => desk.warnings.push(message),
      onChange: (list) => desk.shown.push(list),
    },
  };
  return desk;
}

export const openOwn = (desk: Desk): Promise<TaskStore> => openSessionStore(desk.manager.getSessionId(), desk.context);

export const openShared = (desk: Desk, listId = "team"): Promise<TaskStore> => openSharedStore(listId, desk.context);

export async function create(store: TaskStore, subject: string): Promise<{ id: string; note: string }> {
  const { result, note } = await store.mutate((list) => {
    const created = createTask(list, { subject, description: "" });
    return { list: created.list, result: created.task };
  });
  return { id: result.id, note };
}

export async function update(store: TaskStore, id: string, change: TaskChange): Promise<string> {
  const { note } = await store.mutate((list) => ({
    list: updateTask(list, id, change)?.list ?? list,
    result: undefined,
  }));
  return note;
}

export const subjects = (list: TaskList): string[] => list.tasks.map((task) => `${task.id} ${task.subject}`);
