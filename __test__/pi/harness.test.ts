// The harness itself, shown on pi's own bash: what later tests say with it must be able to be false.
import { describe, expect, test } from "vitest";
import {
  canSeeProcesses,
  forceEnd,
  hasTmux,
  lookUntil,
  processesWithArgument,
  type SeenProcess,
  startPiJson,
  startPiPrint,
  startPiRpc,
  startPiTui,
  waitForNone,
} from "./harness/index.ts";

const bash = (command: string) => ({ tool: "bash", args: { command } });

describe("json and print mode", () => {
  test("the model asks for a command, reads its output, and pi ends", async () => {
    const pi = await startPiJson({ script: [bash("echo one; exit 3"), { text: "done" }] });
    expect(await pi.finished()).toEqual({ code: 0, signal: null });
    expect(pi.toolResults()).toMatchObject([
      { tool: "bash", args: { command: "echo one; exit 3" }, seenByModel: true, isError: true },
    ]);
    expect(pi.toolResults()[0]?.text).toMatch(/^one\n/);
    expect(pi.eventsOf("tool_execution_end")).toMatchObject([{ toolName: "bash", isError: true }]);
  });

  test("a turn made from the request uses what an earlier result said", async () => {
    const pi = await startPiJson({
      script: [bash("echo id=k7"), (request) => bash(`echo again ${request.find(/id=(\w+)/)}`), { text: "done" }],
    });
    await pi.finished();
    expect(pi.toolResults().map(({ text }) => text.trim())).toEqual(["id=k7", "again k7"]);
    expect(pi.arrivedMessages().filter(({ role }) => role === "tool")).toHaveLength(2);
  });

  test("several calls in one answer all come back", async () => {
    const pi = await startPiJson({ script: [{ calls: [bash("echo a"), bash("echo b")] }, { text: "done" }] });
    await pi.finished();
    expect(pi.toolResults().map(({ text }) => text.trim())).toEqual(["a", "b"]);
  });

  test("print mode prints the last answer", async () => {
    const pi = await startPiPrint({ script: [bash("true"), { text: "all good" }] });
    await pi.finished();
    expect(pi.stdout).toBe("all good\n");
  });

  test("each model has its own script, and a request is kept whole", async () => {
    const pi = await startPiJson({
      script: { first: [{ text: "unused" }], second: [{ text: "here" }] },
      args: ["--model", "scripted/second"],
    });
    await pi.finished();
    expect(pi.model.requests.map(({ modelId }) => modelId)).toEqual(["second"]);
    expect(pi.model.turnsLeft).toBe(1);
    expect(pi.model.requests[0]?.systemPrompt).not.toBe("");
    expect(pi.model.requests[0]?.tools.map(({ name }) => name)).toContain("bash");
  });

  test("a failing model is a failing run", async () => {
    const pi = await startPiPrint({ script: [{ status: 400, message: "no such thing" }] });
    expect((await pi.finished()).code).toBe(1);
    expect(pi.stderr).toContain("no such thing");
  });
});

describe("rpc mode", () => {
  test("two prompts are two runs of one session", async () => {
    const pi = await startPiRpc({ script: [{ text: "first" }, { text: "second" }] });
    await pi.run("one");
    const session = await pi.sessionId();
    await pi.run("two");
    expect(await pi.sessionId()).toBe(session);
    expect(
      pi
        .arrivedMessages()
        .map(({ role, text }) => [role, text])
        .slice(-3),
    ).toEqual([
      ["user", "one"],
      ["assistant", "first"],
      ["user", "two"],
    ]);
    await pi.newSession();
    expect(await pi.sessionId()).not.toBe(session);
  });

  test("what an extension says to an idle model wakes it, and counts once", async () => {
    const extension = `export default (pi) => pi.on("agent_settled", () => {
      if (globalThis.told) return;
      globalThis.told = true;
      pi.sendMessage({ customType: "n", content: "<task-notification>ended</task-notification>" }, { triggerTurn: true });
    });`;
    const pi = await startPiRpc({
      script: [{ text: "idle" }, { text: "I see" }, { text: "yes" }],
      files: { "extension.mjs": extension },
      args: ["-e", "./extension.mjs"],
    });
    await pi.run("go");
    await pi.settled();
    await pi.run("again");
    expect(pi.model.requests).toHaveLength(3);
    expect(pi.taskNotifications()).toMatchObject([
      { requestNumber: 2, text: "<task-notification>ended</task-notification>" },
    ]);
  });

  test("abort ends a command that runs, and a model that hangs", async () => {
    // Not as it stands in the command, which the events hold as well.
    const pi = await startPiRpc({ script: [bash("echo rea''dy; exec sleep 600"), { hang: true }] });
    await pi.prompt("go");
    await pi.waitFor("tool_execution_update", (event) => JSON.stringify(event).includes("ready"));
    await pi.abort();
    expect(await pi.settled()).toMatchObject({ aborted: true });
    expect(pi.toolResults()).toMatchObject([{ seenByModel: false, isError: true }]);
    await pi.prompt("again");
    await pi.waitFor("turn_start");
    await pi.abort();
    expect(await pi.settled()).toMatchObject({ aborted: true });
  });

  test("closing its input ends pi", async () => {
    const pi = await startPiRpc({ script: [] });
    await pi.sessionId();
    pi.closeInput();
    expect(await pi.exited()).toEqual({ code: 0, signal: null });
  });

  test("waiting for something that can no longer come says that pi has ended", async () => {
    const pi = await startPiRpc({ script: [] });
    await pi.sessionId();
    pi.signal("SIGKILL");
    await expect(pi.settled()).rejects.toThrow("pi has ended (SIGKILL)");
  });

  test("a wait has a bound and tells what came instead", async () => {
    const pi = await startPiRpc({ script: [] });
    await pi.sessionId();
    await expect(pi.waitFor("agent_settled", undefined, 50)).rejects.toThrow("Last events: response");
  });
});

describe("what a stop complains about", () => {
  test.runIf(canSeeProcesses)("a process left behind is named and ended", async () => {
    const seconds = `6123.${process.pid}`;
    const pi = await startPiRpc({ script: [bash(`setsid sleep ${seconds} > /dev/null 2>&1 &`), { text: "done" }] });
    await pi.run("go");
    const isSleep = ({ commandLine }: SeenProcess) => commandLine === `sleep ${seconds}`;
    expect(await lookUntil(() => pi.processes().find(isSleep), 10_000)).toBeDefined();
    await expect(pi.stop()).rejects.toThrow(new RegExp(`left running: \\d+ sleep ${seconds}`));
    expect(await waitForNone(() => processesWithArgument(seconds), 10_000)).toEqual([]);
  });

  test.runIf(canSeeProcesses)("a process that cleared its environment is found by its argument", async () => {
    const seconds = `6124.${process.pid}`;
    const pi = await startPiRpc({
      script: [bash(`{ cd /; exec env -i setsid sleep ${seconds}; } > /dev/null 2>&1 &`), { text: "done" }],
    });
    await pi.run("go");
    const isSleep = ({ commandLine }: SeenProcess) => commandLine === `sleep ${seconds}`;
    const sleeper = await lookUntil(() => processesWithArgument(seconds).find(isSleep), 10_000);
    if (sleeper !== undefined) forceEnd(sleeper);
    expect(sleeper).toBeDefined();
    expect(await waitForNone(() => processesWithArgument(seconds), 10_000)).toEqual([]);
  });

  test("an attempt to reach the network is refused and told", async () => {
    const command = `"${process.execPath}" -e 'fetch("http://example.invalid").catch((e) => console.log(e.cause.message))'`;
    const pi = await startPiJson({ script: [bash(command), { text: "done" }] });
    await pi.finished();
    expect(pi.toolResults()[0]?.text).toContain("no network in tests");
    await expect(pi.stop()).rejects.toThrow("tried to reach the network");
  });

  test("a script that throws does not pass unseen", async () => {
    const pi = await startPiJson({ script: [(request) => bash(request.find(/never there/))] });
    await pi.finished();
    await expect(pi.stop()).rejects.toThrow("the script failed: no message of request 1 matches");
  });

  test("nothing of a stopped pi stays on disk", async () => {
    const pi = await startPiJson({ script: [{ text: "done" }], files: { "~/note": "n", "sub/file": "f" } });
    expect([pi.home.read("~/note"), pi.home.read("sub/file")]).toEqual(["n", "f"]);
    await pi.finished();
    await pi.stop();
    expect(pi.home.exists("~/note")).toBe(false);
  });
});

describe.runIf(hasTmux)("in a terminal", () => {
  test("a person types, sees the command and its output, and leaves", async () => {
    const pi = await startPiTui({ script: [bash("echo $((40 + 2)) apples"), { text: "That is all." }] });
    await pi.enter("count the apples");
    const screen = await pi.waitForText("That is all.");
    expect(screen).toContain("42 apples");
    await pi.enter("/quit");
    expect(await pi.exited()).toBe(0);
  });

  test("Escape aborts what runs", async () => {
    const pi = await startPiTui({ script: [bash("echo started; exec sleep 600")] });
    await pi.enter("go");
    await pi.waitForText(/^ *started/m);
    pi.press("Escape");
    await pi.waitForText("Operation aborted");
    expect(await pi.waitForNoProcess(10_000)).toEqual([]);
  });

  test("closing the terminal ends pi", async () => {
    const pi = await startPiTui({ script: [] });
    pi.closeTerminal();
    expect(await pi.gone()).toBe(true);
  });

  test("a signal is an exit code, and text that never comes shows the screen instead", async () => {
    const pi = await startPiTui({ script: [] });
    await expect(pi.waitForText("never shown", 50)).rejects.toThrow(/no never shown on the screen:\n[^]*scripted/);
    pi.signal("SIGKILL");
    expect(await pi.exited()).toBe(137);
  });
});
