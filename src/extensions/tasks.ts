// Pi entry point of the task list. Wiring only.
import { homedir } from "node:os";
import path from "node:path";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { TASK_REMINDER } from "../format/task-reminder.ts";
import { chooseList } from "../tasks/list-id.ts";
import { isReminderDue, REMINDER_ENTRY_TYPE } from "../tasks/reminder.ts";
import { STATE_ENTRY_TYPE } from "../tasks/session-copy.ts";
import { openSessionStore } from "../tasks/session-store.ts";
import { readTaskSettings, type TaskSettings } from "../tasks/settings.ts";
import { openSharedStore } from "../tasks/shared-store.ts";
import type { StoreContext, TaskStore } from "../tasks/store.ts";
import { createTaskCreateTool } from "../tools/task-create/tool.ts";
import { createTaskGetTool } from "../tools/task-get/tool.ts";
import { createTaskListTool } from "../tools/task-list/tool.ts";
import { createTaskUpdateTool } from "../tools/task-update/tool.ts";
import type { TaskToolOptions } from "../tools/task-tool-options.ts";
import { listRunningCommands } from "../ui/running-commands.ts";
import { createTaskView } from "../ui/task-view.ts";
import { tasksReport } from "../ui/tasks-report.ts";
import { warnOnce } from "./bash/warnings.ts";
import { drawUntilRegistered } from "./early-rows.ts";
import { findClashes } from "../tools/name-clashes.ts";

/** Without these the reminder would point to something that is not there. */
const REMINDED_TOOLS = ["TaskCreate", "TaskUpdate", "TaskList"];

/** To the person, wherever that person looks. Never throws. */
function tell(context: ExtensionContext, message: string, kind: "info" | "warning"): void {
  try {
    if (context.hasUI) context.ui.notify(message, kind);
    // Standard output belongs to the answer (print) or to the protocol (json).
    else process.stderr.write(`${message}\n`);
  } catch {
    // The session was replaced in the meantime; there is nobody to tell.
  }
}

function storeContext(pi: ExtensionAPI, context: ExtensionContext, onChange: StoreContext["onChange"]): StoreContext {
  const { sessionManager } = context;
  return {
    root: path.join(homedir(), ".pi", "tasks"),
    session: {
      branch: () => sessionManager.getBranch(),
      entries: () => sessionManager.getEntries(),
      append: (state) => {
        pi.appendEntry(STATE_ENTRY_TYPE, state);
      },
    },
    warn: (message) => {
      tell(context, message, "warning");
    },
    onChange,
  };
}

function registerReminder(pi: ExtensionAPI): void {
  pi.on("context", ({ messages }, { sessionManager }) => {
    if (messages.at(-1)?.role !== "toolResult") return;
    if (!isReminderDue(sessionManager.getLeafEntry(), (id) => sessionManager.getEntry(id))) return;
    const active = new Set(pi.getActiveTools());
    if (!REMINDED_TOOLS.every((tool) => active.has(tool))) return;
    // First the mark: a reminder that leaves none would come back with every request.
    try {
      pi.appendEntry(REMINDER_ENTRY_TYPE);
    } catch {
      return;
    }
    const reminder = {
      role: "custom" as const,
      customType: REMINDER_ENTRY_TYPE,
      content: TASK_REMINDER,
      display: false,
      timestamp: Date.now(),
    };
    return { messages: [...messages, reminder] };
  });
}

function taskTools(options: TaskToolOptions) {
  return [
    createTaskCreateTool(options),
    createTaskGetTool(options),
    createTaskListTool(options),
    createTaskUpdateTool(options),
  ] as const;
}

/** Not while the extension is loaded: with two owners of one name by then, pi does not start. Says who was first. */
function registerTools(pi: ExtensionAPI, options: TaskToolOptions): string[] {
  const [create, get, list, update] = taskTools(options);
  pi.registerTool(create);
  pi.registerTool(get);
  pi.registerTool(list);
  pi.registerTool(update);
  return findClashes(pi, new Map([create, get, list, update].map(({ name, description }) => [name, description])));
}

function registerTaskList(pi: ExtensionAPI, settings: TaskSettings): void {
  let context: ExtensionContext | undefined;
  let store: TaskStore | undefined;
  const view = createTaskView(() => context);

  const options = {
    store: () => {
      if (store === undefined) throw new Error("The task list is not open: no session has started");
      return store;
    },
    verificationNudge: settings.verificationNudge,
  };
  if (settings.reminder) registerReminder(pi);
  let toolsRegistered = false;
  drawUntilRegistered(
    pi,
    () => taskTools(options),
    () => toolsRegistered,
  );

  pi.on("session_start", async (_event, ctx) => {
    context = ctx;
    for (const clash of registerTools(pi, options)) warnOnce(clash, ctx);
    toolsRegistered = true;
    const { id, shared } = chooseList(settings.listId, ctx.sessionManager.getSessionId());
    const opened = storeContext(pi, ctx, (list) => {
      view.show(list);
    });
    store = await (shared ? openSharedStore(id, opened) : openSessionStore(id, opened));
    view.show(store.list);
    view.settle();
  });
  pi.on("session_before_tree", async () => {
    await store?.beforeRewind();
  });
  pi.on("session_tree", async () => {
    await store?.rewind();
    view.settle();
  });
  // Another process, an agent for one, may have changed a shared list; what it says now is shown with the next drawing.
  pi.on("turn_end", async () => {
    await store?.read().catch(() => undefined);
  });
  pi.on("agent_settled", () => {
    view.settle();
  });
  pi.on("session_shutdown", async () => {
    await store?.settled();
    view.clear();
  });

  pi.registerCommand("tasks", {
    description: "Show all tasks and the commands that run in the background",
    handler: async (_args, ctx) => {
      const list = await store?.read().catch(() => store?.list);
      if (list !== undefined) tell(ctx, tasksReport(list, listRunningCommands()), "info");
    },
  });
}

export default function tasks(pi: ExtensionAPI): void {
  const settings = readTaskSettings(process.env);
  if (!settings.disabled) registerTaskList(pi, settings);
}
