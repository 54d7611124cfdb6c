// A foreground command for whose output no file can be made: it runs all the same.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { requestPromotionOfAll } from "../../src/runs/promotion.ts";
import { stopTask } from "../../src/runs/stop.ts";
import { bash, SESSION_ID, taskIdOf, textOf, useBench, waitForEvent, withoutOutputFolders } from "./runs.ts";

const bench = useBench();

// On Windows a command is read from a file, and without a place for it there is none.
test.skipIf(process.platform === "win32")("a command without a file names an empty path", async () => {
  const restore = withoutOutputFolders();
  try {
    const result = await bash(bench, { command: "echo hi; sleep 3663.5 &" });
    const id = taskIdOf(result);
    expect(textOf(result)).toBe(
      `hi\nProcesses started by this command are still running with ID: ${id}. Its further output is lost: no file could be made for it.`,
    );
    await stopTask(bench.registry, id, { graceMs: 0 });
  } finally {
    restore();
  }
});

test.skipIf(process.platform === "win32")("the notice of a command that left something running hides that its output is lost", async () => {
  const restore = withoutOutputFolders();
  try {
    const go = path.join(bench.cwd, "go");
    const answer = bash(bench, { command: `until [ -e '${go}' ]; do sleep 0.02; done; echo lost; sleep 3664.5 &` });
    expect(requestPromotionOfAll(bench.registry, "person")).toBe(1);
    const id = taskIdOf(await answer);
    writeFileSync(go, "");
    await waitForEvent(bench, id, "shell-exited");
    const notice = bench.notifier.take(SESSION_ID);
    expect(notice?.details.tasks).toMatchObject([{ id, membersLeft: true, captureError: { bytesLost: "lost\n".length } }]);
    await stopTask(bench.registry, id, { graceMs: 0 });
  } finally {
    restore();
  }
});
