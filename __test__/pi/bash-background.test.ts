// Commands that nobody waits for: what the model is told about them, and where their output is.
import { lstatSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { FAILURE_BOUND_MS, lookUntil } from "./harness/bound.ts";
import { canSeeProcesses, processesWithArgument } from "./harness/processes.ts";
import { bash, inBackground, playCalls, taskStop, type Played } from "./played-calls.ts";

const seconds = (name: number) => `${name}.${process.pid}`;
const posix = process.platform !== "win32";

/** The notices of one task, once the model has one. */
async function noticesOf(played: Played, name: string): Promise<string[]> {
  const element = `<task-id>${played.taskId(name)}</task-id>`;
  const notices = () =>
    played.pi
      .taskNotifications()
      .flatMap(({ text }) => text.split(/(?<=<\/task-notification>)\n/))
      .filter((text) => text.includes(element));
  await lookUntil(() => (notices().length > 0 ? true : undefined), FAILURE_BOUND_MS);
  return notices();
}

describe("a command in the background", () => {
  const played = playCalls([
    {
      ok: inBackground("echo out; echo err >&2; printf '\\033[31mred\\033[0m\\r\\n\\0'"),
      failing: inBackground("exit 7"),
      crashing: inBackground("kill -9 $$"),
      limited: inBackground("sleep 1; echo past its limit", { timeout: 100 }),
      stdin: inBackground("cat; echo eof"),
      growing: inBackground("for i in 1 2 3; do echo $i; until [ -e saw$i ]; do sleep .02; done; done"),
    },
    {
      twinFailed: inBackground("exit 3", { description: "the same name" }),
      twinRunning: inBackground(`exec sleep ${seconds(5351)}`, { description: "the same name" }),
      spaces: inBackground("  \n echo padded  "),
    },
    async (so) => {
      for (const step of ["1", "2", "3"]) {
        const file = so.outputFile("growing");
        const hasStep = () => (readFileSync(file, "utf8").endsWith(`${step}\n`) ? true : undefined);
        if ((await lookUntil(hasStep, FAILURE_BOUND_MS)) === undefined) throw new Error(`${step} is not in the file`);
        grown.push(readFileSync(file, "utf8"));
        so.pi.home.write(`saw${step}`, "");
      }
      alive = canSeeProcesses ? processesWithArgument(seconds(5351)).length : 1;
      return { stopTwin: taskStop({ task_id: so.taskId("twinRunning") }) };
    },
  ]);
  const { result, taskId } = played;
  const names = ["ok", "failing", "crashing", "limited", "stdin", "growing", "twinFailed", "twinRunning", "spaces"];
  const grown: string[] = [];
  let alive = 0;

  test("the text is exact, with an ID of the known form and the absolute path of its file", async () => {
    const sessionId = await played.pi.sessionId();
    for (const name of names) {
      const id = taskId(name);
      expect(id).toMatch(/^l[a-z0-9]{8}$/);
      const file = path.join(played.pi.home.tmp, "picc-bash", sessionId, "tasks", `${id}.output`);
      expect(result(name)).toMatchObject({
        text: `Command running in background with ID: ${id}. Output is being written to: ${file}`,
        isError: false,
      });
    }
    expect(new Set(names.map(taskId)).size).toBe(names.length);
  });

  test("the details hold its ID only", () => {
    for (const name of names) expect(result(name).details).toEqual({ backgroundTaskId: taskId(name) });
  });

  // faults: log-world-readable
  test.runIf(posix)("nobody else can read its file or the names of the folders", () => {
    const file = played.outputFile("ok");
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
    for (let folder = path.dirname(file); folder !== played.pi.home.tmp; folder = path.dirname(folder)) {
      expect(statSync(folder).mode & 0o777, folder).toBe(0o700);
    }
  });

  // faults: log-lags
  test("its file grows while it runs", () => {
    expect(grown).toEqual(["1\n", "1\n2\n", "1\n2\n3\n"]);
  });

  test("its file holds the raw bytes of both streams in the order of the writes", async () => {
    await noticesOf(played, "ok");
    expect(readFileSync(played.outputFile("ok"), "latin1")).toBe("out\nerr\n\x1b[31mred\x1b[0m\r\n\0");
  });

  test("exit 0 is completed, any other failed, a signal from outside killed, and each is told once", async () => {
    const outcome = async (name: string) =>
      (await noticesOf(played, name)).map((notice) => /<status>.*<\/exit-code>/.exec(notice)?.[0]);
    expect(await outcome("ok")).toEqual(["<status>completed</status><exit-code>0</exit-code>"]);
    // faults: dead-task-still-running
    expect(await outcome("failing")).toEqual(["<status>failed</status><exit-code>7</exit-code>"]);
    expect(await outcome("crashing")).toEqual(["<status>killed</status><exit-code>137</exit-code>"]);
  });

  // faults: bg-timeout-ignored (the description says that no timeout applies)
  test("no timeout ends it", async () => {
    expect(await noticesOf(played, "limited")).toEqual([expect.stringContaining("<status>completed</status>")]);
    expect(readFileSync(played.outputFile("limited"), "utf8")).toBe("past its limit\n");
  });

  // faults: stdin-left-open-bg
  test("it has no input to wait for", async () => {
    expect(await noticesOf(played, "stdin")).toEqual([expect.stringContaining("<status>completed</status>")]);
    expect(readFileSync(played.outputFile("stdin"), "utf8")).toBe("eof\n");
  });

  // faults: stale-files-of-reused-name
  test("two of the same description are two tasks with two files and two ends", async () => {
    expect(played.outputFile("twinFailed")).not.toBe(played.outputFile("twinRunning"));
    expect(await noticesOf(played, "twinFailed")).toEqual([expect.stringContaining("<exit-code>3</exit-code>")]);
    expect(alive).toBe(1);
    expect(result("stopTwin").text).toContain("Successfully stopped task");
  });
});

const LEFT =
  /^Processes started by this command are still running with ID: (l[a-z0-9]{8})\. Output is being written to: (.+)$/m;

describe("processes that a foreground command leaves behind", () => {
  const played = playCalls([
    {
      server: bash(`echo started; sleep ${seconds(5361)} &`),
      chatty: bash("(while :; do echo t; sleep .05; done) & sleep .3; echo fg", { timeout: 20_000 }),
      failing: bash(`sleep ${seconds(5362)} & exit 4`),
      silent: bash("sleep 600 &"),
      hook: bash("sh -c '(for i in 1 2 3 4 5; do echo p$i; sleep .05; done) & exec true'"),
      detached: bash(`nohup sleep ${seconds(5363)} > /dev/null 2>&1 &`),
    },
    (so) => {
      living = canSeeProcesses ? processesWithArgument(seconds(5361)).length : 1;
      return Object.fromEntries(
        ["server", "chatty", "failing", "silent", "detached"].map((name) => [
          `stop-${name}`,
          taskStop({ task_id: so.taskId(name) }),
        ]),
      );
    },
    { background: inBackground(`sleep ${seconds(5364)} & exit 0`, { description: "leaves one behind" }) },
    async (so) => {
      await so.hasEnded("leaves one behind");
      return { next: bash("true") };
    },
    (so) => ({ stopBackground: taskStop({ task_id: so.taskId("background") }) }),
  ]);
  const { result } = played;
  let living = 0;

  // faults: ampersand-jobs-leak
  test("live on, and the text ends with their ID and file", () => {
    const { text, details, isError } = result("server");
    const [line, id, file] = LEFT.exec(text) ?? [];
    expect(text).toBe(`started\n${line ?? ""}`);
    expect(details).toMatchObject({ exitCode: 0, backgroundTaskId: id });
    expect(path.basename(file ?? "")).toBe(`${id ?? ""}.output`);
    expect(isError).toBe(false);
    expect(living).toBe(1);
  });

  // faults: bg-child-keeps-writing
  test("do not hold the call, even when they never stop writing", () => {
    const { text, details } = result("chatty");
    expect(text).toMatch(/^fg$/m);
    expect(text).toMatch(LEFT);
    expect(details).not.toHaveProperty("timedOut");
    expect(details["durationMs"]).toBeLessThan(10_000);
  });

  test("do not hide how the command ended", () => {
    expect(result("failing")).toMatchObject({ isError: true, details: { exitCode: 4 } });
    expect(result("failing").text).toMatch(/^Exit code 4\nProcesses started by this command/);
    expect(result("silent").text).toMatch(/^\(no output\)\nProcesses started by this command/);
  });

  // faults: hook-child-output-cut
  test("that end a moment later are complete in the result or in the named file", async () => {
    const { text, details } = result("hook");
    const all = "p1\np2\np3\np4\np5";
    if (!LEFT.test(text)) expect(text).toBe(all);
    else {
      const file = details["fullOutputPath"] as string;
      const isComplete = () => (readFileSync(file, "utf8") === `${all}\n` ? true : undefined);
      expect(await lookUntil(isComplete, FAILURE_BOUND_MS)).toBe(true);
    }
  });

  test("are stopped by TaskStop, also when they have turned away from their output", () => {
    for (const name of ["server", "chatty", "failing", "silent", "detached"]) {
      expect(result(`stop-${name}`), name).toMatchObject({
        isError: false,
        text: expect.stringContaining("Successfully stopped task") as string,
      });
    }
    if (canSeeProcesses) {
      for (const name of [5361, 5362, 5363]) expect(processesWithArgument(seconds(name))).toEqual([]);
    }
  });

  // faults: group-leader-gone
  test("by a background command are said in its notice, and TaskStop ends them", async () => {
    const [notice] = await noticesOf(played, "background");
    expect(notice).toMatch(/<status>completed<\/status><exit-code>0<\/exit-code>.*still running/);
    expect(result("stopBackground").text).toContain("Successfully stopped task");
    if (canSeeProcesses) expect(processesWithArgument(seconds(5364))).toEqual([]);
  });
});

describe("a task that floods its file", () => {
  const CAP_BYTES = 200_000;
  const MARKER = "\n[output truncated: exceeded ";
  const played = playCalls(
    [
      { yes: inBackground("yes"), first: bash("true") },
      {
        own: inBackground('sleep .2; f=$(ls -t "$TMPDIR"/picc-bash/*/tasks/*.output | head -1); tail -n +1 -f "$f"'),
        all: inBackground('cat "$TMPDIR"/picc-bash/*/tasks/*.output'),
      },
      async (so) => {
        const size = () => statSync(so.outputFile("yes")).size;
        await lookUntil(() => (size() > CAP_BYTES ? true : undefined), FAILURE_BOUND_MS);
        return {
          stopYes: taskStop({ task_id: so.taskId("yes") }),
          stopOwn: taskStop({ task_id: so.taskId("own") }),
          after: bash("echo fine"),
        };
      },
    ],
    { env: { PICC_BASH_OUTPUT_CAP_BYTES: String(CAP_BYTES) } },
  );

  // faults: log-fills-disk, log-feeds-itself
  test("writes no more than the cap and one line that says so, even when it reads what it writes", () => {
    for (const name of ["yes", "own", "all"]) {
      const content = readFileSync(played.outputFile(name), "utf8");
      expect(content.length, name).toBeLessThanOrEqual(CAP_BYTES + MARKER.length + 40);
    }
    const flooded = readFileSync(played.outputFile("yes"), "utf8");
    expect(flooded.slice(0, CAP_BYTES)).toBe("y\n".repeat(CAP_BYTES / 2));
    expect(flooded.slice(CAP_BYTES)).toMatch(/^\n\[output truncated: exceeded .+ disk cap\]\n$/);
  });

  test("goes on running, can be stopped, and disturbs nobody", () => {
    expect(played.result("stopYes").text).toContain("Successfully stopped task");
    expect(played.result("stopOwn").isError === true ? played.result("stopOwn").text : "stopped").toMatch(
      /stopped|not running/,
    );
    expect(played.result("after").text).toBe("fine");
  });
});
