// The text, details and error flag of a foreground call, as the model and other extensions get them from a real pi.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { bash, playCalls } from "./played-calls.ts";

const ABORTED_OR_LATE = /Command (?:timed out|was aborted)/;
const MARKER = /^\.\.\. \[(\d+) lines, ([\d.]+ [KMG]?B) omitted\. Full output: (.+)\] \.\.\.$/m;

describe("the parts of the text", () => {
  const { result } = playCalls([
    {
      blankEdges: bash("printf '\\n  \\n\\n  out\\nmore \\n\\n'"),
      both: bash("printf ' err \\n\\n' >&2; echo out"),
      onlyStderr: bash("printf '\\n\\n  warn\\n' >&2"),
      failing: bash("echo out; exit 2"),
      failingBoth: bash("echo out; echo err >&2; exit 4"),
      silent: bash("true"),
      silentFailure: bash("exit 3"),
      noMatch: bash("grep x /dev/null"),
    },
    {
      late: bash("echo part; echo warn >&2; sleep 60", { timeout: 1500 }),
      lateSilent: bash("sleep 60", { timeout: 300 }),
      killed: bash("kill -9 $$"),
      crashed: bash("kill -SEGV $$"),
      terminated: bash("echo x; kill -TERM $$"),
      sameNumber: bash("exit 143"),
      brokenPipe: bash("set -o pipefail; yes | head -1"),
    },
  ]);

  test("stdout loses its leading blank lines and its end, and keeps its indentation", () => {
    expect(result("blankEdges").text).toBe("  out\nmore");
  });

  test("stderr comes trimmed after stdout, whatever was written first", () => {
    expect(result("both").text).toBe("out\nerr");
    expect(result("onlyStderr").text).toBe("warn");
  });

  // faults: output-twice-on-error
  test("a failing command says its output once, then its exit code", () => {
    expect(result("failing")).toMatchObject({ text: "out\nExit code 2", isError: true });
    expect(result("failingBoth")).toMatchObject({ text: "out\nerr\nExit code 4", isError: true });
  });

  test("a command that says nothing is not an empty text", () => {
    expect(result("silent")).toMatchObject({ text: "(no output)", isError: false });
    expect(result("silentFailure")).toMatchObject({ text: "Exit code 3", isError: true });
  });

  // faults: benign-nonzero-as-error (the code is said; that it disturbs nobody is in bash-parallel.test.ts)
  test("grep's 1 and a broken pipe's 141 are said as they are", () => {
    expect(result("noMatch").text).toBe("Exit code 1");
    expect(result("brokenPipe").text).toBe("y\nExit code 141");
  });

  // faults: signal-death-is-zero
  test("death by a signal reads 128 + n and is an error", () => {
    expect(result("killed")).toMatchObject({ text: "Exit code 137", isError: true });
    expect(result("killed").details).toMatchObject({ exitCode: 137, signal: 9 });
    expect(result("crashed")).toMatchObject({ text: expect.stringMatching(/Exit code 139$/) as string, isError: true });
    expect(result("terminated")).toMatchObject({ text: "x\nExit code 143", isError: true });
    expect(result("terminated").details).toMatchObject({ signal: 15 });
  });

  test("a code of 143 that the command itself gave is no signal and no stop", () => {
    const { text, details } = result("sameNumber");
    expect(text).toBe("Exit code 143");
    expect(details).toEqual({ exitCode: 143, durationMs: expect.any(Number) as number });
  });

  test("a timeout keeps what was printed and takes the place of the exit code", () => {
    expect(result("late")).toMatchObject({ text: "part\nwarn\nCommand timed out after 1s", isError: true });
    expect(result("late").details).toMatchObject({ timedOut: true, timeoutMs: 1500 });
    expect(result("lateSilent").text).toBe("Command timed out after 0s");
  });

  test("details say the exit code and the time, and nothing that does not apply", () => {
    expect(result("both").details).toEqual({ exitCode: 0, durationMs: expect.any(Number) as number });
  });
});

describe("clean text", () => {
  const { result } = playCalls([
    {
      colours: bash(
        "printf '\\033[1;31mred\\033[0m \\033]0;title\\007and \\033]8;;http://x\\033\\\\link\\033]8;;\\033\\\\\\n'",
      ),
      progress: bash("printf 'get   5%%\\rget  50%%\\rget 100%%\\nsaved\\r\\n'"),
      erased: bash("printf 'downloading a long name\\r\\033[Kok\\n'"),
      backspaces: bash("printf 'abc\\b\\b\\bxyz\\n'"),
      nul: bash("printf 'a\\0b\\n'; printf 'c\\0d\\n' >&2"),
      stderrColours: bash("printf '\\033[33mwarn\\033[0m\\n' >&2; exit 1"),
      hostile: bash("printf '\\033]0;never ended\\nsecond line\\n'"),
    },
    {
      binary: bash("printf 'ok\\xff\\xfe\\0end\\n'; head -c 1000000 /dev/urandom"),
      shortBinary: bash("printf 'ok\\xff\\xfe\\0end'"),
      chinese: bash("for i in $(seq 20000); do printf '\\xe4\\xbd\\xa0'; done"),
      laterBytes: bash("printf 'ascii\\n'; sleep .2; printf '\\xc4\\xe3\\xba\\xc3\\n'"),
      splitCharacter: bash("printf '\\xe4\\xbd'; sleep .3; printf '\\xa0!\\n'"),
    },
  ]);

  test("colours, titles and links are gone", () => {
    expect(result("colours").text).toBe("red and link");
    expect(result("stderrColours").text).toBe("warn\nExit code 1");
  });

  test("a line rewritten with a carriage return is shown as its last state", () => {
    expect(result("progress").text).toBe("get 100%\nsaved");
    expect(result("erased").text).toBe("ok");
    expect(result("backspaces").text).toBe("xyz");
  });

  test("there is no NUL in either stream", () => {
    expect(result("nul").text).toBe("ab\ncd");
  });

  test("a sequence that never ends does not swallow the next line", () => {
    expect(result("hostile").text).toBe("second line");
  });

  // faults: invalid-bytes-crash
  test("binary output neither crashes the tool nor hides what is text, and the file has every byte", () => {
    expect(result("shortBinary")).toMatchObject({ text: "ok\u{fffd}\u{fffd}end", isError: false });
    const { text, details } = result("binary");
    expect(text).toMatch(/^ok\u{fffd}\u{fffd}end\n/u);
    // A control character other than tab and newline would be one that the cleaning missed.

    expect(text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
    const file = readFileSync(details["fullOutputPath"] as string);
    expect(file.length).toBe(1_000_009);
    expect(file.subarray(0, 9)).toEqual(Buffer.from("ok\xff\xfe\0end\n", "latin1"));
  });

  // faults: utf8-cut-at-limit
  test("the limit counts characters: 20,000 of three bytes come whole", () => {
    expect(result("chinese").text).toBe("你".repeat(20_000));
  });

  // faults: encoding-locked-by-first-chunk
  test("bytes of another encoding after a first line of ASCII are replacement marks, and a late half of a character is a whole one", () => {
    expect(result("laterBytes").text).toMatch(/^ascii\n\u{fffd}+\S*$/u);
    expect(result("splitCharacter").text).toBe("你!");
  });
});

describe("the bound", () => {
  const { result } = playCalls([
    {
      numbers: bash("seq 1 100000; echo FATAL; exit 1"),
      exactly: bash("printf '%030000d' 7"),
      oneMore: bash("printf '%030001d' 7"),
      floodOnStderr: bash("echo answer; seq 1 60000 >&2"),
      twoFloods: bash("seq 1 60000; seq 60001 120000 >&2; exit 5"),
      emoji: bash("for i in $(seq 5000); do printf '👩‍👧‍👦x'; done"),
    },
    {
      oneLine: bash("head -c 3000000 /dev/zero | tr '\\0' z; echo; echo last"),
      lateFlood: bash("seq 1 60000; sleep 60", { timeout: 1000 }),
      node: bash(
        `"${process.execPath}" -e 'process.stdout.write(Buffer.alloc(204800, 65)); process.exit(0)'; echo; echo after`,
      ),
    },
  ]);

  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index).join("\n");

  // faults: tail-with-error-dropped
  test("head, marker and tail: the error at the end is there, and the marker's count is exact", () => {
    const { text, isError } = result("numbers");
    expect(isError).toBe(true);
    const lines = text.split("\n");
    expect(lines.slice(0, 3)).toEqual(["1", "2", "3"]);
    expect(lines.slice(-3)).toEqual(["100000", "FATAL", "Exit code 1"]);
    const at = lines.findIndex((line) => MARKER.test(line));
    const hidden = Number(MARKER.exec(text)?.[1]);
    expect(at + hidden + (lines.length - at - 2)).toBe(100_001);
    expect(lines[at + 1]).toBe(String(Number(lines[at - 1]) + hidden + 1));
  });

  test("the text stays within the limit, the parts after the output come on top", () => {
    const { text } = result("numbers");
    expect(text.length).toBeLessThanOrEqual(30_000 + "\nExit code 1".length);
    expect(text.length).toBeGreaterThan(25_000);
    expect(result("exactly").text).toHaveLength(30_000);
    expect(result("exactly").details).not.toHaveProperty("truncation");
    expect(result("oneMore").text).toMatch(MARKER);
  });

  test("the path in the marker holds everything", () => {
    const { text, details } = result("numbers");
    const path = MARKER.exec(text)?.[3] ?? "";
    expect(details["fullOutputPath"]).toBe(path);
    expect(readFileSync(path, "utf8")).toBe(`${numbers(1, 100_000)}\nFATAL\n`);
  });

  test("details tell the counts and never repeat the text", () => {
    const { details } = result("numbers");
    expect(details["truncation"]).toMatchObject({
      maxChars: 30_000,
      totalLines: 100_001,
      totalBytes: numbers(1, 100_000).length + "\nFATAL\n".length,
    });
    expect(JSON.stringify(details).length).toBeLessThan(1000);
  });

  test("a short answer on stdout survives a flood on stderr", () => {
    const { text } = result("floodOnStderr");
    expect(text).toMatch(/^answer\n1\n2\n/);
    expect(text).toMatch(/\n60000$/);
  });

  test("of two floods both ends are shown", () => {
    const { text } = result("twoFloods");
    expect(text).toMatch(/^1\n2\n/);
    expect(text).toContain("\n60000\n60001\n");
    expect(text).toMatch(/\n120000\nExit code 5$/);
    expect(text.length).toBeLessThanOrEqual(30_000 + "\nExit code 5".length);
  });

  test("no character is cut in two, however it is composed", () => {
    const { text } = result("emoji");
    expect(text).toMatch(MARKER);
    const whole = text.replace(MARKER, "").replaceAll("👩‍👧‍👦", "");
    expect(whole).toMatch(/^[x\n]*$/);
  });

  test("a line of three megabytes is bounded like any other, and the line after it is seen", () => {
    const { text } = result("oneLine");
    expect(text.length).toBeLessThanOrEqual(30_000);
    expect(text).toMatch(/^z{1000}/);
    expect(text).toMatch(/z\nlast$/);
  });

  test("a flood that runs into its timeout ends with the timeout", () => {
    expect(result("lateFlood").text).toMatch(/\n60000\nCommand timed out after 1s$/);
  });

  // faults: pipe-loses-node-child-tail
  test("a Node child that exits right after writing 200 KiB loses nothing", () => {
    const { text, details } = result("node");
    expect(text).toMatch(/A\nafter$/);
    expect(readFileSync(details["fullOutputPath"] as string, "utf8")).toBe(`${"A".repeat(204_800)}\nafter\n`);
  });
});

describe("another limit", () => {
  const { result } = playCalls([{ long: bash("seq 1 100000"), short: bash("printf '%0149000d' 1") }], {
    env: { BASH_MAX_OUTPUT_LENGTH: "900000" },
  });

  test("BASH_MAX_OUTPUT_LENGTH is capped at 150,000", () => {
    expect(result("long").text.length).toBeLessThanOrEqual(150_000);
    expect(result("long").text.length).toBeGreaterThan(140_000);
    expect(result("short").text).toHaveLength(149_000);
  });
});

describe("a small limit", () => {
  const { result } = playCalls([{ long: bash("seq 1 5000; exit 9"), late: bash("sleep 60", { timeout: 200 }) }], {
    env: { BASH_MAX_OUTPUT_LENGTH: "40" },
  });

  test("the parts after the output and the path come whole", () => {
    const { text, details } = result("long");
    expect(text).toMatch(MARKER);
    expect(text).toContain(details["fullOutputPath"] as string);
    expect(text).toMatch(/\n5000\nExit code 9$/);
    expect(result("late").text).toMatch(ABORTED_OR_LATE);
  });
});

describe("while it runs", () => {
  const { pi, result } = withPi();

  function withPi() {
    const played = playCalls([
      { slow: bash("for i in 1 2 3 4 5; do echo line$i; sleep .3; done") },
      { fast: bash("timeout 2 yes 'a line of a flood' | head -c 20000000; echo; echo end", { timeout: 30_000 }) },
    ]);
    return { pi: () => played.pi, result: played.result };
  }

  const updatesOf = (name: string) =>
    pi()
      .eventsOf("tool_execution_update")
      .filter(({ toolCallId }) => toolCallId === result(name).id)
      .map(({ partialResult }) => partialResult as { content: { text?: string }[]; details?: { live?: unknown } });

  test("output is shown before the end, with how much there is", () => {
    const texts = updatesOf("slow").map(({ content }) => content[0]?.text ?? "");
    const early = texts.findIndex((text) => text.includes("line1") && !text.includes("line5"));
    expect(early).toBeGreaterThanOrEqual(0);
    expect(updatesOf("slow")[early]?.details?.live).toEqual({
      totalLines: texts[early]?.split("\n").length,
      totalBytes: (texts[early]?.length ?? 0) + 1,
    });
  });

  test("updates come at most every 150 ms and hold the tail only", () => {
    for (const name of ["slow", "fast"]) {
      const updates = updatesOf(name);
      expect(updates.length).toBeLessThanOrEqual((result(name).details["durationMs"] as number) / 150 + 2);
      for (const { content } of updates) expect(content[0]?.text?.length ?? 0).toBeLessThan(20_000);
    }
  });
});
