// When the model is reminded of its list. Counted on the session branch, so that /reload, /resume, /fork and going back
// in the tree need no code of their own.

/** Model responses without TaskCreate and TaskUpdate, and without a reminder, before the next one. */
const TURNS_BEFORE_REMINDER = 10;

/** Custom entry that marks where a reminder was given; the model never sees it. */
export const REMINDER_ENTRY_TYPE = "picc-tasks-reminder";

/** Calls of these show that the list is in use. Reading it does not. */
const WRITING_TOOLS: ReadonlySet<unknown> = new Set(["TaskCreate", "TaskUpdate"]);

/** As much of a session entry as is looked at. */
export interface BranchEntryView {
  type: string;
  parentId: string | null;
  customType?: string;
  message?: unknown;
}

interface MessageView {
  role?: unknown;
  stopReason?: unknown;
  content?: unknown;
  nestedCalls?: { calls?: unknown };
}

function namesIn(list: unknown): unknown[] {
  return Array.isArray(list) ? list.map((item: unknown) => (item as { name?: unknown } | null)?.name) : [];
}

function usesTaskTools(message: MessageView): boolean {
  // An assistant message names its calls; a tool that called other tools lists them with its result.
  const list = message.role === "assistant" ? message.content : message.nestedCalls?.calls;
  return namesIn(list).some((name) => WRITING_TOOLS.has(name));
}

function isResponse(message: MessageView): boolean {
  return message.role === "assistant" && message.stopReason !== "error" && message.stopReason !== "aborted";
}

/**
 * Whether enough responses have passed.
 *
 * @param leaf newest entry of the branch
 * @param entryOf looks an entry up by id
 */
export function isReminderDue(
  leaf: BranchEntryView | undefined,
  entryOf: (id: string) => BranchEntryView | undefined,
): boolean {
  let turns = 0;
  for (let entry = leaf; entry !== undefined; entry = entry.parentId === null ? undefined : entryOf(entry.parentId)) {
    // Without a response after it, the request that carried it has failed, and is made again.
    if (entry.type === "custom" && entry.customType === REMINDER_ENTRY_TYPE) return turns === 0;
    if (entry.type !== "message") continue;
    const message = (entry.message ?? {}) as MessageView;
    if (usesTaskTools(message)) return false;
    if (isResponse(message)) turns += 1;
    if (turns >= TURNS_BEFORE_REMINDER) return true;
  }
  return false;
}
