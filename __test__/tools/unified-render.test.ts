import { expect, test } from "vitest";
import type { Theme } from "@earendil-works/pi-coding-agent";
import type { ListRow } from "../../src/tools/unified-list/execute.ts";
import { renderListResult } from "../../src/tools/unified-list/render.ts";

const theme = { fg: (_color: string, text: string) => text, bold: (text: string) => text } as unknown as Theme;

function drawList(tasks: ListRow[]): string[] {
  const context = { lastComponent: undefined } as unknown as Parameters<typeof renderListResult>[3];
  const result = { content: [], details: { tasks } };
  return renderListResult(result, false, theme, context)
    .render(80)
    .map((line) => line.replace(/ running.*/, ""))
    .filter((line) => line !== "");
}

function agent(name: string, depth: number, parent?: string): ListRow {
  const parentId = parent === undefined ? null : `agent:${parent}`;
  const facts = { kind: "agent" as const, status: "running" as const, createdAt: "", uptime_ms: 0 };
  return { taskId: `agent:${name}`, title: name, depth, parentId, ...facts };
}

test("a task is drawn below an agent that has not started it, or not at all", () => {
  const byStart = [agent("a", 0), agent("b", 0), agent("a1", 1, "a"), agent("b1", 1, "b"), agent("a2", 1, "a")];
  const deep = agent("a11", 2, "a1");
  expect(drawList([...byStart, deep])).toEqual(["● a", "  ● a1", "    ● a11", "  ● a2", "● b", "  ● b1"]);
  // Seen by a descendant, or with a parent that has another status.
  expect(drawList([agent("x", 1, "gone"), agent("x1", 2, "x"), agent("y", 2, "z")])).toEqual(["● x", "  ● x1", "● y"]);
});
