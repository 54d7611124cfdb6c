import path from "node:path";
import { describe, expect, test } from "vitest";
import { chooseList, listFolderName } from "../../src/tasks/list-id.ts";
import { readTaskSettings } from "../../src/tasks/settings.ts";

const chosen = (env: Record<string, string>) => chooseList(readTaskSettings(env).listId, "session");

describe("which list", () => {
  test("the explicit ids are not taken in their order", () => {
    expect(chosen({ PI_TASK_LIST_ID: "a", CLAUDE_CODE_TASK_LIST_ID: "b" })).toEqual({ id: "a", shared: true });
    expect(chosen({ CLAUDE_CODE_TASK_LIST_ID: "b" })).toEqual({ id: "b", shared: true });
    expect(chosen({})).toEqual({ id: "session", shared: false });
  });

  test("an empty variable makes a shared list without a name", () => {
    expect(chosen({ PI_TASK_LIST_ID: "", CLAUDE_CODE_TASK_LIST_ID: "  " })).toEqual({ id: "session", shared: false });
    expect(chosen({ PI_TASK_LIST_ID: " ", CLAUDE_CODE_TASK_LIST_ID: "b" })).toEqual({ id: "b", shared: true });
  });
});

describe("folder name", () => {
  test("an id leaves the folder of lists, or is a name that some system cannot hold", () => {
    const ids = [
      "../../etc",
      "..",
      ".",
      "/abs",
      "a/b",
      "a\\b",
      "c:d",
      "x\0y",
      "NUL",
      "con.txt",
      "com1",
      "trailing.",
      "é",
    ];
    for (const id of [...ids, "x".repeat(400)]) {
      const name = listFolderName(id);
      expect(path.basename(name)).toBe(name);
      expect(name).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,120}-[0-9a-f]{12}$/);
      expect(name).not.toMatch(/^(con|nul|com1)(\.|$)/i);
    }
  });

  test("a harmless id is changed, or two ids share a folder after being made safe", () => {
    expect(listFolderName("team-1_a.b")).toBe("team-1_a.b");
    expect(listFolderName("01934567-89ab-7def-8123-456789abcdef")).toBe("01934567-89ab-7def-8123-456789abcdef");
    expect(new Set(["a/b", "a:b", "a b", "a-b"].map(listFolderName)).size).toBe(4);
  });
});

test("switches understand other words than documented, or none", () => {
  for (const yes of ["1", "true", "YES", " on "]) {
    expect(readTaskSettings({ PI_TASKS_DISABLE: yes, PI_TASKS_VERIFICATION_NUDGE: yes })).toMatchObject({
      disabled: true,
      verificationNudge: true,
    });
  }
  for (const other of ["", "0", "false", "maybe"]) {
    expect(readTaskSettings({ PI_TASKS_DISABLE: other, PI_TASKS_VERIFICATION_NUDGE: other })).toMatchObject({
      disabled: false,
      verificationNudge: false,
    });
  }
  expect(readTaskSettings({ PI_TASKS_REMINDER: "0" }).reminder).toBe(false);
  expect(readTaskSettings({}).reminder).toBe(true);
});
