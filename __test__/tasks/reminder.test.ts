import { expect, test } from "vitest";
import { isReminderDue, REMINDER_ENTRY_TYPE, type BranchEntryView } from "../../src/tasks/reminder.ts";

type Part = Omit<BranchEntryView, "parentId">;

const response = (...tools: string[]): Part => ({
  type: "message",
  message: { role: "assistant", content: tools.map((name) => ({ type: "toolCall", name })) },
});
const MARK: Part = { type: "custom", customType: REMINDER_ENTRY_TYPE };
const times = (count: number, part: Part): Part[] => Array.from({ length: count }, () => part);

function isDue(parts: Part[]): boolean {
  const entries = parts.map((part, index) => ({ ...part, parentId: index === 0 ? null : String(index - 1) }));
  return isReminderDue(entries.at(-1), (id) => entries[Number(id)]);
}

// faults: reminder-noise
test("the reminder comes while tasks are in use, or reading them counts as use", () => {
  expect(isDue([...times(8, response("bash")), response("TaskUpdate"), response("bash")])).toBe(false);
  expect(isDue(times(10, response("TaskList")))).toBe(true);
  expect(isDue(times(10, response("TaskGet", "TaskStop")))).toBe(true);
});

test("the reminder comes after nine responses, or only after eleven", () => {
  expect(isDue([response("TaskCreate"), ...times(9, response("bash"))])).toBe(false);
  expect(isDue([response("TaskCreate"), ...times(10, response("bash"))])).toBe(true);
  expect(isDue([])).toBe(false);
});

test("a reminder that was given does not hold off the next one", () => {
  expect(isDue([...times(10, response("bash")), MARK, ...times(9, response("bash"))])).toBe(false);
  expect(isDue([...times(10, response("bash")), MARK, ...times(10, response("bash"))])).toBe(true);
});

test("a reminder is lost with the request that failed", () => {
  const failed: Part = { type: "message", message: { role: "assistant", stopReason: "error", content: [] } };
  expect(isDue([...times(10, response("bash")), MARK, failed])).toBe(true);
  expect(isDue([...times(10, response("bash")), MARK, failed, MARK, response("bash")])).toBe(false);
});

test("failed requests, user messages and other entries count as responses", () => {
  const failed: Part = { type: "message", message: { role: "assistant", stopReason: "error", content: [] } };
  const noise: Part[] = [failed, { type: "message", message: { role: "user", content: "x" } }, { type: "compaction" }];
  expect(isDue([...noise, ...times(9, response()), ...noise])).toBe(false);
});

test("a task tool called by another tool is not seen", () => {
  const nested: Part = {
    type: "message",
    message: {
      role: "toolResult",
      toolName: "codemode",
      nestedCalls: { calls: [{ name: "TaskUpdate" }], complete: true },
    },
  };
  expect(isDue([...times(5, response("codemode")), nested, ...times(9, response("bash"))])).toBe(false);
});
