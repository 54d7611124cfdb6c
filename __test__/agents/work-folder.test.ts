import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { removeOldWorkFolders, WorkFolder } from "../../src/agents/work-folder.ts";
import { RETENTION_MS } from "../../src/runs/retention.ts";
import { temporaryFolder } from "../tasks/temporary-folder.ts";

/** A number that no process has. */
const NOBODY = 2 ** 30;

test("the prompts of a pi that was killed stay for ever, or those of a living one go", async () => {
  const root = temporaryFolder();
  vi.stubEnv("TMPDIR", root);
  vi.stubEnv("TEMP", root);
  onTestFinished(() => void vi.unstubAllEnvs());
  const inUse = path.dirname(new WorkFolder("prompt", "").promptFile);
  const left = path.join(root, path.basename(inUse).replace(String(process.pid), String(NOBODY)));
  const other = path.join(root, `pi-foreman-other-${NOBODY}-x`);
  for (const folder of [left, other]) mkdirSync(folder);
  writeFileSync(path.join(left, "prompt"), "old");
  const now = Date.now();
  for (const folder of [inUse, left, other]) utimesSync(folder, now / 1000, now / 1000);

  await removeOldWorkFolders(now + RETENTION_MS - 60_000);
  expect(readdirSync(root)).toHaveLength(3);
  await removeOldWorkFolders(now + RETENTION_MS + 60_000);
  expect(readdirSync(root).sort()).toEqual([path.basename(inUse), path.basename(other)].sort());
});
