// TaskStop: every answer it can give, and that it is true.
import { createServer } from "node:net";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FAILURE_BOUND_MS, lookUntil } from "./harness/bound.ts";
import { canSeeProcesses, processesWithArgument } from "./harness/processes.ts";
import { bash, inBackground, playCalls, taskStop, type Played } from "./played-calls.ts";

const seconds = (name: number) => `${name}.${process.pid}`;
const running = (name: number) => (canSeeProcesses ? processesWithArgument(seconds(name)).length : 0);

async function hasPrinted(played: Played, name: string, text: string): Promise<void> {
  const file = played.outputFile(name);
  const printed = () => (readFileSync(file, "utf8").includes(text) ? true : undefined);
  if ((await lookUntil(printed, FAILURE_BOUND_MS)) === undefined) throw new Error(`${name} never printed ${text}`);
}

/** A JSON answer, as the model reads it. */
const payload = (text: string) => JSON.parse(text) as Record<string, unknown>;

describe("stopping", () => {
  const stubborn = `trap '' TERM; echo ready; while :; do sleep ${seconds(5371)}; done`;
  const loop = `echo ready; for i in 1 2 3; do sh -c "sleep ${seconds(5372)}"; done; touch went-on`;
  const server =
    `"${process.execPath}" -e 'require("node:net").createServer().listen(0, "127.0.0.1", function () ` +
    `{ console.log("port " + this.address().port); })'`;
  const left: Record<string, number> = {};
  let port = 0;
  let portFree: boolean | undefined;
  const played = playCalls([
    {
      plain: inBackground(`exec sleep ${seconds(5370)}`, { description: "a nap" }),
      stubborn: inBackground(stubborn),
      loop: inBackground(loop),
      server: inBackground(server),
      escaped: inBackground(`setsid sh -c 'trap "" TERM; echo ready; sleep ${seconds(5373)}; sleep 600' & wait`),
    },
    async (so) => {
      await Promise.all(["stubborn", "loop", "escaped"].map((name) => hasPrinted(so, name, "ready\n")));
      return { stopPlain: taskStop({ task_id: so.taskId("plain") }) };
    },
    (so) => {
      left["plain"] = running(5370);
      return { stopStubborn: taskStop({ shell_id: so.taskId("stubborn") }) };
    },
    (so) => {
      left["stubborn"] = running(5371);
      return {
        stopLoop: taskStop({ task_id: ` ${so.taskId("loop")}\n` }),
        stopEscaped: taskStop({ id: so.taskId("escaped") }),
      };
    },
    async (so) => {
      left["loop"] = running(5372);
      left["escaped"] = running(5373);
      await hasPrinted(so, "server", "\n");
      port = Number(/port (\d+)/.exec(readFileSync(so.outputFile("server"), "utf8"))?.[1]);
      return { stopServer: taskStop({ task_id: so.taskId("server"), shell_id: "lnothing0" }) };
    },
    async (so) => {
      portFree = await canBind(port);
      return { again: taskStop({ task_id: so.taskId("plain") }), files: bash("ls -A") };
    },
  ]);
  const { result, taskId } = played;

  test("says so in the exact words, with the same object as details", () => {
    const command = `exec sleep ${seconds(5370)}`;
    const expected = {
      message: `Successfully stopped task: ${taskId("plain")} (${command})`,
      task_id: taskId("plain"),
      task_type: "local_bash",
      command,
    };
    expect(result("stopPlain").text).toBe(JSON.stringify(expected));
    expect(result("stopPlain").details).toEqual(expected);
    expect(result("stopPlain").isError).toBe(false);
  });

  test("one call ends a command that ignores TERM", () => {
    expect(payload(result("stopStubborn").text)["message"]).toBe(
      `Successfully stopped task: ${taskId("stubborn")} (${stubborn})`,
    );
  });

  test("shell_id, id and spaces around an id are understood, and task_id comes first", () => {
    for (const name of ["stopStubborn", "stopLoop", "stopEscaped", "stopServer"]) {
      expect(result(name), name).toMatchObject({ isError: false });
    }
  });

  test.runIf(canSeeProcesses)("success is said when everything is gone: loops, other sessions and all", () => {
    // faults: stop-does-not-stop-loop, setsid-escapes-killpg-and-hangs
    expect(left).toEqual({ plain: 0, stubborn: 0, loop: 0, escaped: 0 });
    expect(result("files").text).toBe("(no output)");
  });

  test("a port that it held can be bound at once", () => {
    expect(port).toBeGreaterThan(0);
    expect(portFree).toBe(true);
  });

  // faults: own-stop-says-failed
  test("a task that was stopped is killed, not failed", () => {
    const expected = {
      message: `Task ${taskId("plain")} is not running (status: killed)`,
      task_id: taskId("plain"),
      command: `exec sleep ${seconds(5370)}`,
      alreadyExited: true,
    };
    expect(result("again").text).toBe(JSON.stringify(expected));
    expect(result("again")).toMatchObject({ isError: true, details: expected });
  });
});

async function canBind(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => {
      resolve(false);
    });
    server.listen(port, "127.0.0.1", () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}

describe("what cannot be stopped", () => {
  const played = playCalls([
    {
      done: inBackground("exit 0", { description: "ends well" }),
      failed: inBackground("exit 3", { description: "ends badly" }),
      alive: inBackground(`exec sleep ${seconds(5374)}`),
    },
    async (so) => {
      await so.hasEnded("ends well");
      await so.hasEnded("ends badly");
      return { next: bash("true") };
    },
    (so) => ({
      none: taskStop({}),
      empty: taskStop({ task_id: "" }),
      blank: taskStop({ task_id: "  " }),
      unknown: taskStop({ task_id: "lnothing0" }),
      path: taskStop({ task_id: "../../etc/passwd" }),
      done1: taskStop({ task_id: so.taskId("done") }),
      failed1: taskStop({ task_id: so.taskId("failed") }),
      refused: taskStop({ task_id: so.taskId("alive"), force: true }),
    }),
    (so) => ({ stop: taskStop({ task_id: so.taskId("alive") }) }),
  ]);
  const { result, taskId } = played;

  test("no id", () => {
    for (const name of ["none", "empty", "blank"]) {
      expect(result(name), name).toMatchObject({
        text: '{"message":"Missing required parameter: task_id","task_id":""}',
        details: { message: "Missing required parameter: task_id", task_id: "" },
        isError: true,
      });
    }
  });

  // faults: not-found-vs-scope
  test("an unknown id, with those that run in the details only", () => {
    expect(result("unknown").text).toBe('{"message":"No task found with ID: lnothing0","task_id":"lnothing0"}');
    expect(result("unknown")).toMatchObject({
      isError: true,
      details: { running: [{ task_id: taskId("alive"), command: `exec sleep ${seconds(5374)}` }] },
    });
    expect(payload(result("path").text)["message"]).toBe("No task found with ID: ../../etc/passwd");
  });

  test("a task that has ended, with how it ended", () => {
    expect(result("done1")).toMatchObject({
      isError: true,
      text: JSON.stringify({
        message: `Task ${taskId("done")} is not running (status: completed)`,
        task_id: taskId("done"),
        command: "exit 0",
        alreadyExited: true,
      }),
    });
    expect(payload(result("failed1").text)["message"]).toBe(`Task ${taskId("failed")} is not running (status: failed)`);
  });

  test("an unknown argument is refused and nothing is stopped", () => {
    expect(result("refused")).toMatchObject({ isError: true, text: expect.stringContaining("force") as string });
    expect(result("stop").isError).toBe(false);
  });
});

describe("a second stop of the same task", () => {
  // A grace far above any bound: only skipping it ends the run in time.
  const config = { "~/.pi/agent/extensions/picc-bash/config.json": '{ "graceMs": 60000 }' };
  const played = playCalls(
    [
      { stubborn: inBackground(`trap '' TERM INT; echo ready; while :; do sleep ${seconds(5375)}; done`) },
      async (so) => {
        await hasPrinted(so, "stubborn", "ready\n");
        const task_id = so.taskId("stubborn");
        return { first: taskStop({ task_id }), second: taskStop({ task_id }) };
      },
    ],
    { files: config },
  );

  // faults: second-interrupt-ignored
  test("skips the grace, and both say the truth", () => {
    for (const name of ["first", "second"]) {
      expect(played.result(name).text).toMatch(/Successfully stopped task|is not running \(status: killed\)/);
    }
    expect(running(5375)).toBe(0);
  });
});
