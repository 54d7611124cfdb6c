// Escape, a queued message, and other extensions that lose patience: the command's end and its answer.
import { describe, expect, test } from "vitest";
import {
  FAILURE_BOUND_MS,
  canSeeProcesses,
  lookUntil,
  processesWithArgument,
  startPiRpc,
  waitForNone,
  type PiRpc,
} from "./harness/index.ts";
import { bash, BASH_EXTENSION, inBackground, taskStop } from "./played-calls.ts";

const seconds = (name: number) => `${name}.${process.pid}`;
const CONFIG_FILE = "~/.pi/agent/extensions/picc-bash/config.json";
const extensions = [BASH_EXTENSION];

/** The command has printed this. */
async function hasPrinted(pi: PiRpc, text: string): Promise<void> {
  await pi.waitFor("tool_execution_update", (event) => JSON.stringify(event.partialResult).includes(text));
}

describe("an abort", () => {
  // A grace far above the bound of the answer, so that an answer that waits for it is seen.
  const config = { [CONFIG_FILE]: '{ "graceMs": 4000 }' };

  test("is answered within a second although the command ignores TERM, and the command is ended behind it", async () => {
    const stubborn = `trap '' TERM; echo up; while :; do sleep ${seconds(5341)}; done`;
    const pi = await startPiRpc({ extensions, files: config, script: [bash(stubborn)] });
    await pi.prompt("go");
    await hasPrinted(pi, "up");
    const abortedAt = performance.now();
    await pi.abort();
    await pi.settled();
    // A loaded machine gets a second on top; the grace would take four.
    expect(performance.now() - abortedAt).toBeLessThan(2_000);
    expect(pi.toolResults()).toMatchObject([
      {
        text: "up\n<error>Command was aborted before completion</error>",
        isError: true,
        details: { aborted: true },
      },
    ]);
    expect(await pi.waitForNoProcess(FAILURE_BOUND_MS)).toEqual([]);
  });

  test("keeps what both streams said, and the next command works", async () => {
    const pi = await startPiRpc({
      extensions,
      script: [bash("echo out; echo err >&2; echo up; sleep 60"), bash("echo next"), { text: "done" }],
    });
    await pi.prompt("go");
    await hasPrinted(pi, "up");
    await pi.abort();
    await pi.settled();
    await pi.run("again");
    expect(pi.toolResults().map(({ text }) => text)).toEqual([
      "out\nup\nerr\n<error>Command was aborted before completion</error>",
      "next",
    ]);
  });

  test("of several calls answers each of them", async () => {
    const pi = await startPiRpc({
      extensions,
      script: [{ calls: [bash("sleep 60"), bash("echo up; sleep 60"), bash("exec sleep 60")] }],
    });
    await pi.prompt("go");
    await hasPrinted(pi, "up");
    await pi.abort();
    await pi.settled();
    const texts = pi.toolResults().map(({ text }) => text);
    expect(texts).toHaveLength(3);
    for (const text of texts) expect(text).toMatch(/<error>Command was aborted before completion<\/error>$/);
    expect(await pi.waitForNoProcess(FAILURE_BOUND_MS)).toEqual([]);
  });

  // faults: esc-kills-background
  test.runIf(canSeeProcesses)(
    "of a foreground command leaves background tasks alone, and does not wake the agent",
    async () => {
      const pi = await startPiRpc({
        extensions,
        script: [inBackground(`exec sleep ${seconds(5342)}`), bash("echo up; sleep 60")],
      });
      await pi.prompt("go");
      await hasPrinted(pi, "up");
      await pi.abort();
      await pi.settled();
      expect(processesWithArgument(seconds(5342))).toHaveLength(1);
      const id = (pi.toolResults()[0]?.details as { backgroundTaskId: string }).backgroundTaskId;
      pi.model.push([taskStop({ task_id: id }), { text: "done" }]);
      await pi.run("stop it");
      expect(pi.toolResults().at(-1)?.text).toContain("Successfully stopped task");
      expect(await waitForNone(() => processesWithArgument(seconds(5342)), 5_000)).toEqual([]);
    },
  );
});

describe("a tool that calls bash with a signal of its own", () => {
  /** Runs bash; the signal has fired before, or fires with the given reason once the command has printed. */
  const CALLER = `export default (pi) => pi.registerTool({
    name: "caller", label: "caller", description: "calls bash", parameters: { type: "object", properties: {} },
    execute: async (_id, { command, reason, before }, _signal, _update, ctx) => {
      const controller = new AbortController();
      if (before) controller.abort(reason);
      const { result, isError } = await ctx.executeTool("bash", { command }, {
        signal: controller.signal,
        onUpdate: (update) => { if (JSON.stringify(update).includes("up")) controller.abort(reason); },
      });
      return { content: [{ type: "text", text: JSON.stringify({ isError, text: result.content[0].text, details: result.details }) }], details: {} };
    },
  });`;

  async function call(args: { command: string; reason?: string; before?: boolean }) {
    const pi = await startPiRpc({
      extensions,
      files: { "caller.mjs": CALLER },
      args: ["-e", "./caller.mjs"],
      script: [{ tool: "caller", args }, { text: "done" }],
    });
    await pi.run("go");
    const answer = JSON.parse(pi.toolResults()[0]?.text ?? "") as {
      isError: boolean;
      text: string;
      details: Record<string, unknown>;
    };
    return { pi, ...answer };
  }

  // faults: abort-before-spawn
  test("that has fired before starts nothing", async () => {
    const { pi, text, isError } = await call({ command: "touch started", before: true });
    expect(isError).toBe(true);
    expect(text).toMatch(/abort/i);
    expect(pi.home.exists("started")).toBe(false);
  });

  test("that fires with the reason interrupt moves the command to the background instead of ending it", async () => {
    const command = "echo up; until [ -e go-on ]; do sleep .05; done; echo end";
    const { pi, text, isError, details } = await call({ command, reason: "interrupt" });
    expect(isError).toBe(false);
    expect(text).toMatch(/^up\n/);
    expect(details).toMatchObject({ interrupted: true });
    const id = String(details["backgroundTaskId"]);
    const file = String(details["fullOutputPath"]);
    expect(text).toContain(`ID: ${id}`);
    expect(text).toContain(file);
    pi.home.write("go-on", "");
    await pi.settled();
    expect(pi.home.read(file)).toBe("up\nend\n");
    expect(pi.taskNotifications().at(-1)?.text).toContain(`<task-id>${id}</task-id>`);
  });

  test("that fires without a reason ends the command", async () => {
    const { pi, text } = await call({ command: "echo up; sleep 60" });
    expect(text).toBe("up\n<error>Command was aborted before completion</error>");
    expect(await pi.waitForNoProcess(FAILURE_BOUND_MS)).toEqual([]);
  });
});

describe("a message of the user while a command runs", () => {
  const command = "echo so far; until [ -e go-on ]; do sleep .05; done; echo the rest";

  test("moves the command to the background when backgroundOnMessage is set, and the model reads both at once", async () => {
    const pi = await startPiRpc({
      extensions,
      files: { [CONFIG_FILE]: '{ "backgroundOnMessage": true }' },
      script: [bash(command), { text: "I see" }, { text: "it has ended" }],
    });
    await pi.prompt("go");
    await hasPrinted(pi, "so far");
    await pi.prompt("how is it going?", "steer");
    await pi.settled();
    const [moved] = pi.toolResults();
    const details = moved?.details as { backgroundTaskId: string; fullOutputPath: string };
    expect(details).toMatchObject({ interrupted: true });
    expect(moved?.text).toMatch(/^so far\n/);
    expect(moved?.text).toContain(details.backgroundTaskId);
    expect(moved?.text).toContain(details.fullOutputPath);
    expect(moved?.isError).toBe(false);
    expect(pi.model.requests[1]?.messages.at(-1)?.text).toBe("how is it going?");
    pi.home.write("go-on", "");
    await pi.settled();
    expect(pi.home.read(details.fullOutputPath)).toBe("so far\nthe rest\n");
    expect(pi.taskNotifications()).toHaveLength(1);
  });

  test("waits for the command when nothing is set", async () => {
    const pi = await startPiRpc({ extensions, script: [bash(command), { text: "I see" }] });
    await pi.prompt("go");
    await hasPrinted(pi, "so far");
    await pi.prompt("how is it going?", "steer");
    pi.home.write("go-on", "");
    await pi.settled();
    expect(pi.toolResults()).toMatchObject([{ text: "so far\nthe rest", isError: false }]);
    expect(pi.toolResults()[0]?.details).not.toHaveProperty("backgroundTaskId");
  });
});

describe("a timeout and an abort at the same moment", () => {
  // faults: two-timers-one-outcome
  test("give one result each and leave nothing", async () => {
    const calls = Array.from({ length: 20 }, () => bash(`echo up; sleep ${seconds(5343)}`, { timeout: 1000 }));
    const pi = await startPiRpc({ extensions, script: [{ calls }, { text: "done" }] });
    await pi.prompt("go");
    await hasPrinted(pi, "up");
    await lookUntil(() => (pi.eventsOf("tool_execution_end").length > 0 ? true : undefined), FAILURE_BOUND_MS);
    await pi.abort();
    await pi.settled();
    const texts = pi.toolResults().map(({ text }) => text);
    expect(texts).toHaveLength(20);
    for (const text of texts) {
      expect(text).toMatch(
        /^up\n(?:Command timed out after 1s|<error>Command was aborted before completion<\/error>)$/,
      );
    }
    if (canSeeProcesses) expect(await waitForNone(() => processesWithArgument(seconds(5343)), 10_000)).toEqual([]);
  });
});
