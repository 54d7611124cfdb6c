import { expect, test } from "vitest";
import { formatTaskHead, formatTaskPill } from "../../src/format/task-counts.ts";
import { formatTaskLine } from "../../src/format/task-line.ts";
import { formatCreated, formatDetail, formatTaskList, formatUpdated } from "../../src/format/task-results.ts";
import { formatSaveNote } from "../../src/format/task-save-note.ts";

test("a text differs by a byte from what readers of the format expect", () => {
  expect(formatCreated({ id: "1", subject: "a" })).toBe("Task #1 created successfully: a");
  const task = { id: "2", subject: "b", description: "d", status: "pending", blocks: ["3"], blockedBy: ["1", "4"] };
  expect(formatDetail(task)).toBe("Task #2: b\nStatus: pending\nDescription: d\nBlocked by: #1, #4\nBlocks: #3");
  expect(formatDetail({ ...task, blocks: [], blockedBy: [] })).toBe("Task #2: b\nStatus: pending\nDescription: d");
  expect(formatTaskList([])).toBe("No tasks found");
  expect(formatTaskList(["#1 [pending] a", "#2 [pending] b"])).toBe("#1 [pending] a\n#2 [pending] b");
  expect(formatUpdated("1", [])).toBe("Updated task #1 ");
  expect(formatUpdated("1", ["subject", "blocks"])).toBe("Updated task #1 subject, blocks");
});

test("a task takes more than one line, or shows empty brackets", () => {
  const line = { id: "1", status: "pending", subject: "a \r\n\u2028 b", owner: "", blockedBy: [] };
  expect(formatTaskLine(line)).toBe("#1 [pending] a b");
  expect(formatTaskLine({ ...line, subject: "a  b\tc", owner: "x", blockedBy: ["2", "10"] })).toBe(
    "#1 [pending] a  b\tc (x) [blocked by #2, #10]",
  );
});

test("the counts read differently when nothing is in progress", () => {
  const counts = { pending: 1, inProgress: 2, completed: 3, total: 6 };
  expect(formatTaskHead(counts)).toBe("Tasks  1 pending · 2 in progress · 3 done");
  expect(formatTaskPill(counts)).toBe("2 active / 3/6 tasks");
  expect(formatTaskPill({ ...counts, inProgress: 0, total: 4 })).toBe("3/4 tasks");
});

test("a copy that could not be written goes unsaid, or the worst is not said", () => {
  const disk = { path: "/x", reason: "ENOSPC" };
  expect(formatSaveNote({})).toBe("");
  expect(formatSaveNote({ disk })).toMatch(/^\n\nNote: .*\/x .*\(ENOSPC\)/);
  expect(formatSaveNote({ session: "EIO" })).toMatch(/^\n\nNote: .*\(EIO\).*on disk/);
  expect(formatSaveNote({ session: "EIO", disk })).toMatch(/^\n\nWarning: .*memory only/);
});
