// Steps that all run, whatever becomes of the others: one line for each, and one that counts them.
import { performance } from "node:perf_hooks";

/** Thrown by a step that cannot be done on this machine; the message says what is missing. */
export class Missing extends Error {}

/**
 * Runs `[title, run]` one after the other. `run` may return a remark; it throws `Missing` to be skipped, anything else
 * to fail. Afterwards the exit code of this process is 1 when one failed or none passed.
 */
export async function runSteps(steps) {
  const count = { ok: 0, failed: 0, skipped: 0 };
  for (const [title, run] of steps) {
    const start = performance.now();
    const { outcome, words } = await outcomeOf(run);
    count[outcome]++;
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    console.log(`${outcome.padEnd(7)} ${title} (${seconds} s)${words ? `: ${words}` : ""}`);
  }
  console.log(`\n${count.ok} passed, ${count.failed} failed, ${count.skipped} skipped`);
  process.exitCode = count.failed > 0 || count.ok === 0 ? 1 : 0;
}

async function outcomeOf(run) {
  try {
    return { outcome: "ok", words: await run() };
  } catch (error) {
    return { outcome: error instanceof Missing ? "skipped" : "failed", words: error.message };
  }
}
