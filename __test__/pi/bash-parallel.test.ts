// Many calls at once: no call may cancel, delay, starve or be mistaken for another.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { FAILURE_BOUND_MS, lookUntil } from "./harness/bound.ts";
import { canSeeProcesses } from "./harness/processes.ts";
import { bash, playCalls, type Turn } from "./played-calls.ts";

/** So many results would be compacted away, which is not what is tested here. */
const NO_COMPACTION = { compaction: { enabled: false } };

/** So often in a row, some hundredths of a second apart, the number of open files has to be the same. */
const LOOKS_AT_STANDSTILL = 5;

function many(count: number, name: string, command: (index: number) => string): Turn {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, bash(command(index))]));
}

const indexes = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("one failing call among others", () => {
  const { result } = playCalls([
    { slow: bash("sleep 1; echo A"), failing: bash("false"), late: bash("sleep 60", { timeout: 100 }) },
  ]);

  // faults: sibling-cancel, benign-nonzero-as-error
  test("cancels none of them", () => {
    expect(result("slow")).toMatchObject({ text: "A", isError: false });
    expect(result("failing")).toMatchObject({ text: "Exit code 1", isError: true });
    expect(result("late")).toMatchObject({ text: "Command timed out after 0s", isError: true });
  });

  test("parallel calls do not wait for each other", () => {
    expect(result("failing").details["durationMs"]).toBeLessThan(result("slow").details["durationMs"] as number);
  });
});

describe("a turn with hundreds of calls", () => {
  /** Descriptors of pi itself; some come and go with the connection to the model. */
  const openFiles: number[] = [];
  const played = playCalls(
    [
      { first: bash("true") },
      async (so) => {
        await countOpenFiles(so.pi.pid);
        return many(200, "big", (index) => `printf '%025000d' ${index}; exit $((${index} % 7))`);
      },
      many(200, "fast", () => "printf a"),
      many(50, "named", (index) => `echo n${index}; echo e${index} >&2`),
      async (so) => {
        await countOpenFiles(so.pi.pid);
        return { last: bash("echo still here") };
      },
    ],
    { settings: NO_COMPACTION },
  );
  const { result } = played;

  /** Once the number stands still: after an answer a supervisor is let go, and the next one is started. */
  async function countOpenFiles(pid: number): Promise<void> {
    if (!canSeeProcesses) return;
    let [last, times] = [0, 0];
    const settled = await lookUntil(() => {
      const now = readdirSync(`/proc/${pid}/fd`).length;
      [last, times] = [now, now === last ? times + 1 : 1];
      return times >= LOOKS_AT_STANDSTILL ? now : undefined;
    }, FAILURE_BOUND_MS);
    openFiles.push(settled ?? Number.NaN);
  }

  test("200 calls of 25 KB each: every byte and every exit code is right", () => {
    for (const index of indexes(200)) {
      const code = index % 7;
      const output = String(index).padStart(25_000, "0");
      expect(
        result(`big${index}`).text === (code === 0 ? output : `${output}\nExit code ${code}`),
        `call ${index}`,
      ).toBe(true);
      expect(result(`big${index}`)).toMatchObject({ isError: code !== 0, details: { exitCode: code } });
    }
  });

  test("each of them has its own file with exactly its own output", async () => {
    const folder = path.join(played.pi.home.tmp, "picc-bash", await played.pi.sessionId(), "tasks");
    const contents = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), "utf8"));
    const big = contents.filter((content) => content.length >= 25_000).map(Number);
    expect(big.sort((a, b) => a - b)).toEqual(indexes(200));
  });

  // faults: fast-exit-race
  test("a command that ends at once is never empty, failed or in the background", () => {
    for (const index of indexes(200)) {
      const { text, isError, details } = result(`fast${index}`);
      expect({ text, isError, details }).toEqual({
        text: "a",
        isError: false,
        details: { exitCode: 0, durationMs: expect.any(Number) as number },
      });
    }
  });

  // faults: late-flush-under-load
  test("each result holds its own text", () => {
    for (const index of indexes(50)) expect(result(`named${index}`).text).toBe(`n${index}\ne${index}`);
  });

  test("the next call works as before", () => {
    expect(result("last").text).toBe("still here");
  });

  // faults: handle-leak
  test.runIf(canSeeProcesses)("pi holds as many files open as before", () => {
    const [before = 0, after = 0] = openFiles;
    expect(Math.abs(after - before)).toBeLessThanOrEqual(2);
  });
});
