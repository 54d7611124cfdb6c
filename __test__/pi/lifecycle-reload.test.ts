// /reload, with the modules kept (an ES module that Node loads itself) and with the modules evaluated anew (a file that pi
// transforms): the runs are the addon's, so nothing may be lost or told again in either.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  background,
  BASH_EXTENSION,
  foreground,
  release,
  startedTasks,
  taskStop,
  toast,
  untilReleased,
} from "./background.ts";
import { FAILURE_BOUND_MS, lookUntil, REPOSITORY_ROOT, startPiRpc } from "./harness/index.ts";

/** `/again` reloads; the reload waits in its middle, after the end of the old session, while there is a file `hold`. */
const WITNESS = `import { existsSync } from "node:fs";
export default (pi) => {
  pi.registerCommand("again", { description: "reload", handler: async (_args, ctx) => { await ctx.reload(); } });
  pi.on("session_start", (event, ctx) => ctx.ui.notify("session starts: " + event.reason, "info"));
  pi.on("session_shutdown", async (event, ctx) => {
    ctx.ui.notify("session ends: " + event.reason, "info");
    while (event.reason === "reload" && existsSync("hold")) await new Promise((resolve) => setTimeout(resolve, 5));
  });
};`;

/** The same files in a package that does not say that they are modules: pi transforms and evaluates them at each load. */
function evaluatedAnew(): string {
  const root = mkdtempSync(path.join(os.tmpdir(), "pi-package-"));
  onTestFinished(() => {
    rmSync(root, { recursive: true, force: true });
  });
  cpSync(path.join(REPOSITORY_ROOT, "dist"), path.join(root, "dist"), { recursive: true });
  symlinkSync(path.join(REPOSITORY_ROOT, "native"), path.join(root, "native"));
  const { version } = JSON.parse(readFileSync(path.join(REPOSITORY_ROOT, "package.json"), "utf8")) as {
    version: string;
  };
  writeFileSync(path.join(root, "package.json"), JSON.stringify({ version }));
  return path.join(root, BASH_EXTENSION);
}

test.each([
  ["kept", () => BASH_EXTENSION],
  ["evaluated anew", evaluatedAnew],
])("a task is lost or told twice by a reload with the modules %s", async (_, entryFile) => {
  const pi = await startPiRpc({
    script: [
      foreground(untilReleased("promoted"), { timeout: 300 }),
      background(untilReleased("before")),
      background(untilReleased("amid")),
      background(untilReleased("after")),
      background("exec sleep 600"),
    ],
    afterScript: { text: "ok" },
    extensions: [entryFile()],
    env: { PICC_BASH_ON_TIMEOUT: "background" },
    files: { "witness.mjs": WITNESS },
    args: ["-e", "./witness.mjs"],
  });
  await pi.run("go");
  const promoted = pi.toolResults()[0]?.details as { backgroundTaskId?: string } | undefined;
  const [before, amid, after, stopped] = startedTasks(pi);
  if (!before || !amid || !after || !stopped) throw new Error("four tasks should have been started");
  const told = () => pi.taskNotifications().map(({ text }) => /<task-id>(\w+)/.exec(text)?.[1]);

  await release(pi, "before");
  await pi.settled();
  expect(told()).toEqual([before.id]);

  pi.home.write("hold", "");
  const reloaded = pi.prompt("/again");
  await toast(pi, "session ends: reload");
  await release(pi, "amid");
  const isOver = () => (readFileSync(amid.outputPath, "utf8") === "released\n" ? true : undefined);
  expect(await lookUntil(isOver, FAILURE_BOUND_MS)).toBe(true);
  rmSync(pi.home.resolve("hold"));
  await reloaded;
  await pi.settled();
  expect(told()).toEqual([before.id, amid.id]);

  pi.model.push([taskStop("lnosuchid"), taskStop(stopped.id)]);
  await pi.run("list and stop");
  const [unknown, stop] = pi.toolResults().slice(-2);
  expect(unknown?.details).toMatchObject({
    running: [{ task_id: promoted?.backgroundTaskId }, { task_id: after.id }, { task_id: stopped.id }],
  });
  expect(stop?.text).toContain("Successfully stopped task");

  await release(pi, "after");
  await pi.settled();
  await release(pi, "promoted");
  await pi.settled();
  await pi.prompt("/again");
  await pi.run("anything new?");
  expect(told()).toEqual([before.id, amid.id, after.id, promoted?.backgroundTaskId]);
  expect(pi.eventsOf("extension_error")).toEqual([]);
  expect(pi.stderr).toBe("");
});
