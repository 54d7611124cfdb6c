// pi -p with more agents in the background than may run at once.
import { expect, test } from "vitest";
import { canSeeProcesses, startPiPrint, type PiOnce, type Script } from "./harness/index.ts";
import { agent, payload, UNIFIED } from "./unified.ts";

const inBackground = (title: string) => agent({ run_in_background: true, title });

async function startPrint(settings: object, script: Script): Promise<PiOnce> {
  const config = JSON.stringify({ maxParallelAgents: 1, ...settings });
  const files = { ...UNIFIED.files, "~/.pi/agent/extensions/picc-bash/config.json": config };
  return startPiPrint({ ...UNIFIED, files, script });
}

test("agents that wait for their turn never run, although the hold is long enough", async () => {
  const pi = await startPrint(
    { printModeWaitMs: 60_000 },
    {
      parent: [
        { calls: ["one", "two", "three"].map(inBackground) },
        { text: "first answer" },
        { text: "second" },
        { text: "third" },
        { text: "all have reported" },
      ],
      child: ["one", "two", "three"].map((text) => ({ text })),
    },
  );
  expect(await pi.finished(60_000)).toEqual({ code: 0, signal: null });
  expect(pi.stdout).toBe("all have reported\n");
  expect(pi.stderr).toBe("");
  const told = pi
    .taskNotifications()
    .map(({ text }) => /<summary>Agent &quot;(\w+)&quot; has reported/.exec(text)?.[1]);
  expect(told).toEqual(["one", "two", "three"]);
});

// faults: print-mode-never-exits
test("agents that never had their turn are dropped without a word", async () => {
  const pi = await startPrint(
    { printModeWaitMs: 500 },
    { parent: [{ calls: ["one", "two", "three"].map(inBackground) }, { text: "the answer" }], child: [{ hang: true }] },
  );
  expect(await pi.finished()).toEqual({ code: 0, signal: null });
  expect(pi.stdout).toBe("the answer\n");
  const [one, two, three] = pi.toolResults().map((result) => String(payload(result)["taskId"]).replace("agent:", ""));
  expect(pi.stderr.split("\n")).toEqual([
    `pi-foreman: stopped background tasks that were still running: ${one} (child: one)`,
    `pi-foreman: dropped agents that were still waiting for their turn: ${two} (child: two), ${three} (child: three)`,
    "",
  ]);
  if (canSeeProcesses) expect(await pi.waitForNoProcess(2_000)).toEqual([]);
});
