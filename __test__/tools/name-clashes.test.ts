import { expect, test } from "vitest";
import type { ToolInfo } from "@earendil-works/pi-coding-agent";
import { findClashes } from "../../src/tools/name-clashes.ts";

const ours = new Map([
  ["bash", "our bash"],
  ["TaskStop", "our TaskStop"],
]);

function tools(...list: [name: string, description: string][]): { getAllTools: () => ToolInfo[] } {
  return {
    getAllTools: () =>
      list.map(
        ([name, description]) => ({ name, description, sourceInfo: { path: "/ext/other.js" } }) as unknown as ToolInfo,
      ),
  };
}

test("a tool that another extension took over is not missed", () => {
  // tool-name-clash
  expect(findClashes(tools(["bash", "our bash"], ["TaskStop", "theirs"], ["read", "pi's"]), ours)).toEqual([
    expect.stringMatching(/"TaskStop" of \/ext\/other\.js/),
  ]);
});

test("our own tools clash with themselves", () => {
  expect(findClashes(tools(["bash", "our bash"], ["TaskStop", "our TaskStop"]), ours)).toEqual([]);
});
