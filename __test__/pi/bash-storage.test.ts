// The files behind the results: where they are, that nobody can plant or read them, and what a full disk does.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FAILURE_BOUND_MS, lookUntil, type PiOptions, type PiRpc, startPiJson, startPiRpc } from "./harness/index.ts";
import { bash, BASH_EXTENSION, inBackground, taskStop } from "./played-calls.ts";
import { awaitTasks, background, command, payload, rows, UNIFIED } from "./unified.ts";

const extensions = [BASH_EXTENSION];
const posix = process.platform !== "win32";

/** A folder for the length of one test. */
function temporaryFolder(name: string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), name));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

const fileIn = (text: string) => /written to: (.+)$/.exec(text)?.[1] ?? "";
const textsOf = (pi: Pick<PiRpc, "toolResults">) => pi.toolResults().map(({ text }) => text);

async function waitForContent(file: string, content: string): Promise<void> {
  const hasIt = () => (existsSync(file) && readFileSync(file, "utf8") === content ? true : undefined);
  expect(await lookUntil(hasIt, FAILURE_BOUND_MS), file).toBe(true);
}

describe("TMPDIR", () => {
  // faults: space-in-tmpdir, tmpdir-ignored
  test("with a space in it is where everything is, and a folder that is removed meanwhile is made again", async () => {
    const tmp = temporaryFolder("a b 'c' ");
    const pi = await startPiRpc({
      extensions,
      env: { TMPDIR: tmp },
      script: [
        { calls: [bash("echo hi; echo $TMPDIR"), inBackground("echo one")] },
        () => {
          rmSync(path.join(tmp, "picc-bash"), { recursive: true, force: true });
          return { calls: [bash("seq 1 50000"), inBackground("echo two")] };
        },
        { text: "done" },
      ],
    });
    await pi.run("go");
    const [first = "", one = "", long = "", two = ""] = textsOf(pi);
    expect(first).toBe(`hi\n${tmp}`);
    expect(fileIn(one).startsWith(`${tmp}/picc-bash/`)).toBe(true);
    expect(fileIn(two).startsWith(`${tmp}/picc-bash/`)).toBe(true);
    await waitForContent(fileIn(two), "two\n");
    const full = /Full output: (.+)\] \.\.\./.exec(long)?.[1] ?? "";
    expect(readFileSync(full, "utf8").split("\n")).toHaveLength(50_001);
  });
});

describe.runIf(posix)("a link planted where our files will be", () => {
  // faults: predictable-log-symlink
  test("in place of the base folder is not followed", async () => {
    const tmp = temporaryFolder("planted-");
    const victim = temporaryFolder("victim-");
    symlinkSync(victim, path.join(tmp, "picc-bash"));
    const pi = await startPiRpc({
      extensions,
      env: { TMPDIR: tmp },
      script: [{ calls: [bash("echo hi"), inBackground("echo secret")] }, { text: "done" }],
    });
    await pi.run("go");
    const [hi, background = ""] = textsOf(pi);
    expect(hi).toBe("hi");
    await waitForContent(fileIn(background), "secret\n");
    expect(fileIn(background).startsWith(victim)).toBe(false);
    expect(readdirSync(victim)).toEqual([]);
  });

  test("in place of the session's folder or of its file is not followed", async () => {
    const victim = temporaryFolder("victim-");
    writeFileSync(path.join(victim, "file"), "untouched");
    const pi = await startPiRpc({
      extensions,
      script: [{ calls: [bash("echo hi"), inBackground("echo secret")] }, { text: "done" }],
    });
    mkdirSync(path.join(pi.home.tmp, "picc-bash"), { mode: 0o700, recursive: true });
    symlinkSync(victim, path.join(pi.home.tmp, "picc-bash", await pi.sessionId()));
    await pi.run("go");
    const [hi, background = ""] = textsOf(pi);
    expect(hi).toBe("hi");
    const file = fileIn(background);
    if (file !== "") expect(path.dirname(file)).not.toContain(await pi.sessionId().then((id) => `picc-bash/${id}/`));
    else expect(pi.toolResults()[1]).toMatchObject({ isError: true });
    expect(readdirSync(victim)).toEqual(["file"]);
    expect(readFileSync(path.join(victim, "file"), "utf8")).toBe("untouched");
  });

  // faults: log-world-readable
  test("our own folders and files are for us alone, also those of foreground calls", async () => {
    const pi = await startPiJson({
      extensions,
      script: [{ calls: [bash("umask 000; echo hi"), inBackground("umask 000; echo secret")] }, { text: "done" }],
    });
    await pi.finished();
    const base = path.join(pi.home.tmp, "picc-bash");
    const entries = readdirSync(base, { recursive: true, encoding: "utf8" }).map((name) => path.join(base, name));
    // A link has no mode of its own.
    const files = [base, ...entries].filter((entry) => !lstatSync(entry).isSymbolicLink());
    expect(files.filter((entry) => (lstatSync(entry).mode & 0o077) !== 0)).toEqual([]);
    expect(entries.filter((entry) => entry.endsWith(".output"))).toHaveLength(2);
  });
});

describe("two sessions in one folder", () => {
  // faults: cross-session-ids
  test("have tasks of their own", async () => {
    const tmp = temporaryFolder("shared-");
    const tasks = { calls: Array.from({ length: 20 }, (_, index) => inBackground(`echo ${index}`)) };
    const one = await startPiRpc({ extensions, env: { TMPDIR: tmp }, script: [tasks] });
    let id = "";
    const stopOfTheOther = async () => {
      await lookUntil(() => (one.toolResults().length === 20 ? true : undefined), FAILURE_BOUND_MS);
      id = path.basename(fileIn(textsOf(one)[0] ?? ""), ".output");
      return taskStop({ task_id: id });
    };
    const two = await startPiRpc({ extensions, env: { TMPDIR: tmp }, script: [tasks, stopOfTheOther] });
    await Promise.all([one.run("go"), two.run("go")]);
    expect(textsOf(two).at(-1)).toBe(JSON.stringify({ message: `No task found with ID: ${id}`, task_id: id }));
    const files = [...textsOf(one), ...textsOf(two).slice(0, -1)].map(fileIn);
    expect(new Set(files).size).toBe(40);
    expect(new Set(files.map((file) => path.basename(file))).size).toBe(40);
    for (const [index, file] of files.entries()) await waitForContent(file, `${index % 20}\n`);
  });
});

describe("old output", () => {
  // faults: never-cleaned
  test("of any session is gone after a week, younger output stays", async () => {
    const week = 7 * 24 * 60 * 60;
    const pi = await startPiRpc({
      extensions,
      files: {
        "../tmp/picc-bash/old-session/tasks/lold00000.output": "old",
        "../tmp/picc-bash/new-session/tasks/lnew00000.output": "new",
        "../tmp/picc-bash/new-session/tasks/note.txt": "not ours",
      },
      script: [
        () => {
          const base = path.join(pi.home.tmp, "picc-bash");
          const now = Date.now() / 1000;
          age(path.join(base, "old-session/tasks/lold00000.output"), now - week - 3600);
          age(path.join(base, "new-session/tasks/lnew00000.output"), now - week + 3600);
          age(path.join(base, "new-session/tasks/note.txt"), now - 2 * week);
          return { text: "aged" };
        },
      ],
    });
    await pi.run("go");
    await pi.newSession();
    const base = path.join(pi.home.tmp, "picc-bash");
    const gone = () => (existsSync(path.join(base, "old-session")) ? undefined : true);
    expect(await lookUntil(gone, FAILURE_BOUND_MS)).toBe(true);
    expect(readdirSync(path.join(base, "new-session/tasks")).sort()).toEqual(["lnew00000.output", "note.txt"]);
  });
});

function age(file: string, seconds: number): void {
  utimesSync(file, seconds, seconds);
}

/** A file system of one megabyte, for whoever may mount one. */
function mountSmall(folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m,mode=0700", "none", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const canMount = process.platform === "linux" && process.getuid?.() === 0 && probeMount();

function probeMount(): boolean {
  const folder = mkdtempSync(path.join(os.tmpdir(), "mount-probe-"));
  const mounted = mountSmall(folder);
  if (mounted) execFileSync("umount", [folder]);
  rmSync(folder, { recursive: true });
  return mounted;
}

describe.runIf(canMount)("a full disk", () => {
  /** Our folder is the mount, so that only our files meet the full disk. */
  async function onSmallDisk(
    fill: boolean,
    script: Parameters<typeof startPiRpc>[0]["script"],
    options: Omit<PiOptions, "script"> = { extensions },
  ) {
    const tmp = temporaryFolder("full-");
    const base = path.join(tmp, "picc-bash");
    mkdirSync(base);
    mountSmall(base);
    onTestFinished(() => {
      execFileSync("umount", ["-l", base]);
    });
    if (fill) fillUp(path.join(base, "ballast"));
    const pi = await startPiRpc({ ...options, env: { ...options.env, TMPDIR: tmp }, script });
    await pi.run("go");
    return pi;
  }

  // faults: empty-output-on-capture-fault
  test("does not make an output empty: it is there, or an error names the disk and the path", async () => {
    const pi = await onSmallDisk(true, [
      { calls: [bash("echo hi"), bash("echo hi; exit 3"), inBackground("echo hi")] },
      bash("echo next"),
      { text: "done" },
    ]);
    const results = pi.toolResults();
    expect(results).toHaveLength(4);
    for (const { text, isError } of results) {
      if (/^(hi|next)/.test(text)) continue;
      if (text.startsWith("Command running in background")) continue;
      expect({ text, isError }).toEqual({
        text: expect.stringMatching(/ENOSPC|No space left/i) as string,
        isError: true,
      });
      expect(text).toContain("picc-bash");
    }
  });

  // faults: log-write-error-crashes-host
  test("does not end a flood, its exit code or pi, and what could not be written is said", async () => {
    const pi = await onSmallDisk(false, [
      { calls: [bash("yes | head -c 5000000; echo END"), inBackground("yes | head -c 5000000; exit 6")] },
      { text: "waiting" },
      bash("echo next"),
      { text: "done" },
    ]);
    const [flood] = pi.toolResults();
    expect(flood?.text).toMatch(/\ny\nEND\n/);
    expect(flood?.text).toMatch(/could not be written to .*picc-bash.*ENOSPC/);
    expect(flood?.details).toMatchObject({ exitCode: 0, captureError: { code: "ENOSPC" } });
    const notice = () => pi.taskNotifications().at(-1)?.text;
    expect(await lookUntil(notice, FAILURE_BOUND_MS)).toMatch(/<exit-code>6<.*could not be written \(ENOSPC\)/);
  });

  test("leaves a hole in the output of a task of which neither its report nor an await says a word", async () => {
    const pi = await onSmallDisk(
      false,
      [
        { calls: [command("yes | head -c 5000000; echo END"), background("yes | head -c 5000000; exit 6")] },
        (request) => awaitTasks({ task_ids: [request.find(/"taskId":"(bash:\w+)"/)], min_completed: 1 }),
        { text: "done" },
      ],
      UNIFIED,
    );
    const [flood, , awaited] = pi.toolResults();
    expect(payload(flood)["reportMarkdown"]).toMatch(/could not be written to .*picc-bash.*ENOSPC.*bytes are missing/);
    expect(rows(awaited)).toMatchObject([
      { status: "completed", exitCode: 6, note: expect.stringMatching(/^\d+ bytes .*ENOSPC\)\.$/) as string },
    ]);
  });
});

function fillUp(file: string): void {
  try {
    for (let size = 0; size < 64; size++) writeFileSync(file, Buffer.alloc(64 * 1024), { flag: "a" });
  } catch {
    // Full.
  }
}
