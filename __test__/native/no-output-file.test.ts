// A foreground command for whose output no file can be made: it runs all the same.
import { expect, test } from "vitest";
import { stopTask } from "../../src/runs/stop.ts";
import { bash, taskIdOf, textOf, useBench, withoutOutputFolders } from "./runs.ts";

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
