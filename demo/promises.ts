// The closing list of the demo.
import type { KeptPromise } from "./story.ts";

/** Prints one line each; true when all were kept. */
export function printPromises(promises: KeptPromise[]): boolean {
  const lines = promises.map(({ text, kept }) => `${kept ? "yes" : "NO "}  ${text}`);
  process.stdout.write(`\nPromised, and seen:\n${lines.join("\n")}\n`);
  return promises.every(({ kept }) => kept);
}
