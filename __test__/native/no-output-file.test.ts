// A foreground command for whose output no file can be made: it runs all the same.
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { stopTask } from "../../src/runs/stop.ts";
import { bash, taskIdOf, textOf, useBench } from "./runs.ts";

const bench = useBench();

// On Windows a command is read from a file, and without a place for it there is none.
test.skipIf(process.platform === "win32")("a command without a file names an empty path", async () => {
  const unusable = path.join(tmpdir(), "unusable");
  mkdirSync(unusable);
  // Both folders that the core would make are taken by something else.
  for (const name of ["picc-bash", `picc-bash-${process.getuid?.() ?? 0}`]) writeFileSync(path.join(unusable, name), "");
  // The second is what Windows looks at.
  for (const name of ["TMPDIR", "TEMP"]) vi.stubEnv(name, unusable);
  try {
    const result = await bash(bench, { command: "echo hi; sleep 3663.5 &" });
    const id = taskIdOf(result);
    expect(textOf(result)).toBe(
      `hi\nProcesses started by this command are still running with ID: ${id}. Its further output is lost: no file could be made for it.`,
    );
    await stopTask(bench.registry, id, { graceMs: 0 });
  } finally {
    vi.unstubAllEnvs();
  }
});
