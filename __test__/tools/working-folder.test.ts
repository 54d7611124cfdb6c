import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { WorkingFolder } from "../../src/tools/bash/working-folder.ts";

test("a folder that cannot be looked at keeps every command from running", () => {
  const above = mkdtempSync(path.join(tmpdir(), "foreman-folder-"));
  onTestFinished(() => {
    rmSync(above, { recursive: true });
  });
  const loop = path.join(above, "loop");
  symlinkSync(loop, loop);
  const folder = new WorkingFolder();
  expect(folder.resolve(loop)).toBe(loop);
  folder.endTurn();
  expect(folder.resolve(loop)).toBe(above);
});
