// However pi ends, nothing of its commands lives on: not in a pipeline, not in a session of its own, not orphaned, not with
// an empty environment, not when it ignores TERM.
import { afterEach, describe, expect, test } from "vitest";
import { background, BASH_EXTENSION, foreground } from "./background.ts";
import {
  canSeeProcesses,
  FAILURE_BOUND_MS,
  forceEnd,
  hasTmux,
  lookUntil,
  type PiRpc,
  processesWithArgument,
  startPiRpc,
  startPiTui,
  waitForNone,
} from "./harness/index.ts";

const TREES = 20;
const SLEEPERS_IN_A_TREE = 6;

/** pi asks first. */
const ORDERLY_END_MS = 3_000;
/** Only the supervisors are there to notice. */
const SUDDEN_END_MS = 2_000;

let lastNumber = 0;
/** No other process on this machine has this argument. */
let seconds = "";

/** Each sleeper can be found by its argument, whatever became of its parent and its environment. */
const tree = () => `
  sleep ${seconds} | cat > /dev/null &
  setsid sleep ${seconds} &
  (setsid sh -c 'sleep ${seconds} & (sleep ${seconds} &)' &)
  (cd / && env -i setsid sleep ${seconds} &)
  (trap '' TERM; exec sleep ${seconds}) &
  wait`;

const calls = (also: ReturnType<typeof foreground>[] = []) => [
  { calls: [...Array.from({ length: TREES }, () => background(tree())), ...also] },
];

const sleepers = () => processesWithArgument(seconds);

async function waitForSleepers(count: number): Promise<void> {
  const seen = await lookUntil(() => (sleepers().length === count ? true : undefined), FAILURE_BOUND_MS);
  expect(seen, `${sleepers().length} of ${count} sleepers have started`).toBe(true);
}

afterEach(() => {
  sleepers().forEach(forceEnd);
});

const newSeconds = () => (seconds = `64${10 + ++lastNumber}.${process.pid}`);

describe.runIf(canSeeProcesses)("a process is left behind", () => {
  // host-term-orphans, host-hup-orphans, host-kill9-orphans, ampersand-jobs-leak
  const ends: [string, number, (pi: PiRpc) => void, object][] = [
    [
      "SIGTERM",
      ORDERLY_END_MS,
      (pi) => {
        pi.signal("SIGTERM");
      },
      { code: 143 },
    ],
    [
      "SIGHUP",
      ORDERLY_END_MS,
      (pi) => {
        pi.signal("SIGHUP");
      },
      { code: 129 },
    ],
    [
      "the end of its input",
      ORDERLY_END_MS,
      (pi) => {
        pi.closeInput();
      },
      { code: 0 },
    ],
    [
      "SIGINT",
      SUDDEN_END_MS,
      (pi) => {
        pi.signal("SIGINT");
      },
      { signal: "SIGINT" },
    ],
    [
      "SIGKILL",
      SUDDEN_END_MS,
      (pi) => {
        pi.signal("SIGKILL");
      },
      { signal: "SIGKILL" },
    ],
  ];

  test.each(ends)("after %s", async (_, boundMs, end, exit) => {
    newSeconds();
    const stubborn = foreground(`trap '' TERM; sleep ${seconds}`);
    const pi = await startPiRpc({ script: calls([stubborn]), extensions: [BASH_EXTENSION] });
    await pi.prompt("go");
    await waitForSleepers(TREES * SLEEPERS_IN_A_TREE + 1);
    end(pi);
    expect(await waitForNone(sleepers, boundMs)).toEqual([]);
    expect(await pi.exited()).toMatchObject(exit);
  });

  test.runIf(hasTmux)("after a person has left pi", async () => {
    newSeconds();
    const pi = await startPiTui({ script: [...calls(), { text: "All started." }], extensions: [BASH_EXTENSION] });
    await pi.enter("go");
    await pi.waitForText("All started.");
    await waitForSleepers(TREES * SLEEPERS_IN_A_TREE);
    pi.press("C-d");
    expect(await waitForNone(sleepers, ORDERLY_END_MS)).toEqual([]);
    expect(await pi.exited()).toBe(0);
  });

  test.runIf(hasTmux)("after the terminal was closed", async () => {
    newSeconds();
    const pi = await startPiTui({ script: calls([foreground(`sleep ${seconds}`)]), extensions: [BASH_EXTENSION] });
    await pi.enter("go");
    await waitForSleepers(TREES * SLEEPERS_IN_A_TREE + 1);
    pi.closeTerminal();
    expect(await waitForNone(sleepers, ORDERLY_END_MS)).toEqual([]);
    expect(await pi.gone()).toBe(true);
  });
});
