// What a model may pass to bash, and what becomes of what it should not.
import { describe, expect, test } from "vitest";
import { startPiJson } from "./harness/index.ts";
import { bash, BASH_EXTENSION, playCalls } from "./played-calls.ts";

describe("slips and mistakes", () => {
  const call = (args: Record<string, unknown> | string) => ({ tool: "bash", args });
  const { result, taskId } = playCalls([
    {
      cmd: call({ cmd: "echo by cmd" }),
      script: call({ script: "echo by script" }),
      timeoutMs: call({ command: "sleep 60", timeout_ms: 300 }),
      background: call({ command: "true", background: true }),
      both: call({ command: "echo right", cmd: "echo wrong" }),
      unknown: call({ command: "touch ran-unknown", cwd: "/" }),
      noCommand: call({ timeout: 5 }),
      brokenJson: call('{"command": "touch ran-broken'),
    },
    {
      text: call({ command: "sleep 60", timeout: "300" }),
      zero: bash("sleep .1; echo ok", { timeout: 0 }),
      negative: bash("sleep .1; echo ok", { timeout: -5 }),
      huge: bash("sleep .1; echo ok", { timeout: 1e15 }),
      fiftyHours: bash("sleep .1; echo ok", { timeout: 180_000 }),
      fraction: bash("sleep 60", { timeout: 1.5 }),
      notANumber: bash("touch ran-nan", { timeout: "NaN" }),
      nothing: bash("sleep .1; echo ok", { timeout: null }),
    },
    {
      empty: bash(""),
      backgroundAsText: bash("true", { run_in_background: "true" }),
      foreground: bash("echo here", { run_in_background: false }),
      wrongType: call({ command: ["ls", "-l"] }),
    },
    { ran: bash("ls -A") },
  ]);

  test("cmd and script are the command", () => {
    expect(result("cmd").text).toBe("by cmd");
    expect(result("script").text).toBe("by script");
  });

  test("timeout_ms is the timeout, background is run_in_background", () => {
    expect(result("timeoutMs").text).toBe("Command timed out after 0s");
    expect(taskId("background")).toMatch(/^l[a-z0-9]{8}$/);
    expect(taskId("backgroundAsText")).toMatch(/^l[a-z0-9]{8}$/);
    expect(result("foreground").text).toBe("here");
  });

  test("an unknown argument is refused by name", () => {
    expect(result("unknown")).toMatchObject({ isError: true, text: expect.stringContaining("cwd") as string });
    expect(result("both")).toMatchObject({ isError: true, text: expect.stringContaining("cmd") as string });
  });

  test("a missing command and broken JSON are refused in words", () => {
    expect(result("noCommand")).toMatchObject({ isError: true, text: expect.stringContaining("command") as string });
    expect(result("brokenJson").isError).toBe(true);
    expect(result("brokenJson").text).not.toBe("");
  });

  // faults: timeout-unit-confusion
  test("a timeout of any kind is taken as milliseconds or refused, and none hangs or ends a call at once", () => {
    expect(result("text").text).toBe("Command timed out after 0s");
    for (const name of ["zero", "negative", "huge", "fiftyHours", "nothing"]) {
      expect(result(name), name).toMatchObject({ text: "ok", isError: false });
    }
    expect(result("fraction").text).toBe("Command timed out after 0s");
    expect(result("notANumber")).toMatchObject({ isError: true, text: expect.stringContaining("timeout") as string });
  });

  test("what was refused did not run", () => {
    expect(result("ran").text).toBe("(no output)");
  });

  test("an empty command does nothing", () => {
    expect(result("empty")).toMatchObject({ text: "(no output)", isError: false });
  });
});

/** What the schema says of the timeout, and what the calls gave. */
async function withLimits(env: Record<string, string>, timeouts: (number | undefined)[] = []) {
  const calls = timeouts.map((timeout) => bash("sleep 60", timeout === undefined ? {} : { timeout }));
  const script = calls.length > 0 ? [{ calls }, { text: "done" }] : [{ text: "done" }];
  const pi = await startPiJson({ extensions: [BASH_EXTENSION], env, script });
  await pi.finished();
  const tool = pi.model.requests[0]?.tools.find(({ name }) => name === "bash");
  const { properties } = tool?.parameters as { properties: { timeout: { description: string } } };
  return {
    schema: properties.timeout.description,
    description: tool?.description ?? "",
    texts: pi.toolResults().map(({ text }) => text),
    warnings: pi.stderr.split("\n").filter((line) => line !== ""),
  };
}

describe("limits", () => {
  test("the numbers in force are in the schema and the description", async () => {
    const { schema, description } = await withLimits({});
    expect(schema).toMatch(/120000.*600000/);
    expect(description).toMatch(/120000 ms \(2m 0s\).*600000 ms/);
  });

  // faults: no-default-timeout, timeout-env-ignored
  test("the environment's default and maximum are shown and hold", async () => {
    const limited = await withLimits({ BASH_DEFAULT_TIMEOUT_MS: "400", BASH_MAX_TIMEOUT_MS: "1000" }, [
      undefined,
      9000,
    ]);
    expect(limited.schema).toMatch(/\b400\b.*\b1000\b/);
    expect(limited.texts).toEqual(["Command timed out after 0s", "Command timed out after 1s"]);
    expect(limited.warnings).toEqual([]);
  });

  test("a maximum below the default is the default", async () => {
    const limited = await withLimits({ BASH_DEFAULT_TIMEOUT_MS: "1000", BASH_MAX_TIMEOUT_MS: "10" }, [9000]);
    expect(limited.schema).toMatch(/\b1000\b.*\b1000\b/);
    expect(limited.texts).toEqual(["Command timed out after 1s"]);
  });

  // faults: timeout-env-ignored
  test("a bad value costs a warning each and reads as if it were not there", async () => {
    const { schema, warnings } = await withLimits({
      BASH_DEFAULT_TIMEOUT_MS: "abc",
      BASH_MAX_TIMEOUT_MS: "-3",
      BASH_MAX_OUTPUT_LENGTH: "lots",
    });
    expect(schema).toMatch(/120000.*600000/);
    expect(warnings.map((line) => /(BASH_\w+) is "(.*?)"/.exec(line)?.slice(1))).toEqual([
      ["BASH_DEFAULT_TIMEOUT_MS", "abc"],
      ["BASH_MAX_TIMEOUT_MS", "-3"],
      ["BASH_MAX_OUTPUT_LENGTH", "lots"],
    ]);
  });
});
