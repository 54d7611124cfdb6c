// The package managers that people install with, each of one exact version, run by the Node of the test.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { FAILURE_BOUND_MS, within } from "../pi/harness/bound.ts";

export interface PackageManager {
  name: string;
  /** What pi is told to run: it chooses its flags by this name. */
  command: "npm" | "pnpm";
  script: string;
}

/** `npm run setup` brings them. */
const INSTALLED = path.join(import.meta.dirname, "package-managers/node_modules");

export const NPM_11: PackageManager = manager("npm 11", "npm", "npm11/bin/npm-cli.js");
export const NPM_12: PackageManager = manager("npm 12", "npm", "npm12/bin/npm-cli.js");
export const PNPM: PackageManager = manager("pnpm", "pnpm", "pnpm/bin/pnpm.cjs");

function manager(name: string, command: PackageManager["command"], script: string): PackageManager {
  return { name, command, script: path.join(INSTALLED, script) };
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs it to its end; fails unless it succeeds. */
export async function runManager(
  { name, script }: PackageManager,
  args: string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<Ended> {
  const ended = await runNode([script, ...args], options);
  if (ended.code !== 0) throw new Error(`${name} ${args.join(" ")} failed:\n${ended.stdout}\n${ended.stderr}`);
  return ended;
}

export async function runNode(
  args: string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await within(once(child, "exit"), 3 * FAILURE_BOUND_MS, () => `node ${args.join(" ")} goes on`)) as [
    number | null,
  ];
  const [stdout, stderr] = await output;
  return { code, stdout, stderr };
}

/** A folder for PATH in which this manager goes by the name that pi runs. */
export function folderForPath({ command, script }: PackageManager, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, command);
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`);
  chmodSync(file, 0o755);
  return folder;
}
