// Runs one command of another tool to its end; a failure carries the command and its last words.
import { spawnSync } from "node:child_process";

/**
 * What the command printed on stdout.
 * Errors: the message holds the command line and the end of what it printed; a missing program names itself.
 */
export function runCommand(command, args, options = {}) {
  const result = spawnSync(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  if (result.error?.code === "ENOENT") throw new Error(`${command} was not found`);
  if (result.error) throw result.error;
  if (result.status !== 0) {
    const words = `${result.stdout ?? ""}${result.stderr ?? ""}`.trim().split("\n").slice(-15).join("\n");
    throw new Error(`${[command, ...args].join(" ")} failed (exit code ${result.status ?? result.signal})\n${words}`);
  }
  return result.stdout ?? "";
}

/** Whether the program is on PATH. */
export function isOnPath(command) {
  return spawnSync("sh", ["-c", 'command -v "$1"', "sh", command], { stdio: "ignore" }).status === 0;
}
