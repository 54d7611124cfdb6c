// Runs a small program that has the addon in it, and tells how it ended.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { text } from "node:stream/consumers";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { builtAddon, builtShim, usualBash } from "./core.ts";

/** Hundreds of starts of Node, on a machine that may be busy with a build: a bound that only a hang can reach. */
export const MANY_STARTS_BOUND_MS = 300_000;

export interface HostEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Programs lie in `hosts/`; an absolute path is taken as it is. `env` is laid over that of the test run. */
export async function runHost(program: string, args: string[], env: Record<string, string> = {}): Promise<HostEnd> {
  const file = path.resolve(fileURLToPath(new URL("hosts/", import.meta.url)), program);
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A test that was given up must not leave its host.
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  const [stdout, stderr] = await output;
  return { code, signal, stdout, stderr };
}

/** A folder for one test, removed after it; in memory where the system has such a place. */
export function temporaryFolder(): string {
  const parent = process.platform === "linux" ? "/dev/shm" : os.tmpdir();
  const folder = realpathSync(mkdtempSync(path.join(parent, "foreman-test-")));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  return folder;
}

/** What `hosts/*.mjs` need to know, and a temp folder for their output. */
export function hostEnvironment(folder: string): Record<string, string> {
  return {
    TMPDIR: folder,
    TEMP: folder,
    TEST_OUTPUT_BASE: path.join(folder, "picc-bash"),
    TEST_ADDON: builtAddon,
    TEST_SHIM: builtShim,
    // On Unix the smallest shell there is: these programs are started hundreds of times.
    TEST_SHELL: JSON.stringify(process.platform === "win32" ? usualBash : { path: "/bin/sh", kind: "sh" }),
  };
}

/** Does `work` for each number below `count`, so many at a time. */
export async function forEachAtOnce(count: number, atOnce: number, work: (index: number) => Promise<void>) {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
