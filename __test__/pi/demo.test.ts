// `npm run demo` as a person starts it, in both of its forms. Needs the built dist/bash.js.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { LAST_WORDS } from "../../demo/story.ts";
import { FAILURE_BOUND_MS, hasTmux, lookUntil, REPOSITORY_ROOT } from "./harness/index.ts";
import { Terminal } from "./harness/tmux.ts";

const DEMO = path.join(REPOSITORY_ROOT, "demo/demo.ts");

test("the printed demo keeps all its promises", async () => {
  // Fails by itself when the exit code is not 0.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [DEMO]);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/\nPromised, and seen:\n(yes {2}.*\n){7}$/);
});

test.runIf(hasTmux)("the demo in a terminal plays by itself in pi's own interface, and Ctrl+D leaves it", async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "pi-demo-"));
  const terminal = new Terminal({
    folder,
    cwd: REPOSITORY_ROOT,
    command: [process.execPath, DEMO],
    env: { PATH: process.env["PATH"] ?? "", TMPDIR: folder },
    columns: 120,
    rows: 45,
  });
  onTestFinished(() => {
    terminal.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const isOver = () => (terminal.screen().includes(LAST_WORDS) ? true : undefined);
  expect(await lookUntil(isOver, FAILURE_BOUND_MS), terminal.history()).toBe(true);
  expect(terminal.history()).toContain("served request");
  terminal.press("C-d");
  expect(await lookUntil(() => terminal.exitCode(), FAILURE_BOUND_MS), terminal.history()).toBe(0);
  expect(terminal.screen()).toMatch(/Promised, and seen:\n(yes {2}.*\n){7}/);
});
