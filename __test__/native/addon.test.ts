// Every call of the addon, once, through its own door: what goes in comes out in the shape that src/native.ts promises.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ForemanError, type LaunchSpec, toForemanError } from "../../src/native.ts";
import { addon, builtShim, endRun, eventOf, forget, launch } from "./core.ts";
import { temporaryFolder } from "./run-host.ts";

const onWindows = process.platform === "win32";
const missing = { shell: path.resolve("/no/such/shell"), cwd: path.resolve("/no/such/folder") };
/** Below a file there can be no folder. */
const unusable = path.join(import.meta.filename, "none");

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe("a run", () => {
  test("is told in another order or shape", async () => {
    const outputBase = temporaryFolder();
    const id = launch("shape", "echo out; echo err >&2; exit 3", { outputBase, meta: "kept" });
    const started = await eventOf(id, "started");
    expect(started.outputPath).toBe(path.join(outputBase, "session", "tasks", "shape.output"));
    const exited = await eventOf(id, "shell-exited");
    expect(exited).toMatchObject({ exit: { code: 3 }, reason: "natural", membersLeft: false });
    expect(exited).not.toHaveProperty("captureError");
    expect(textOf(exited.snapshot.stdout.head)).toBe("out\n");
    expect(exited.snapshot.stderr).toMatchObject({ totalBytes: 4, totalLines: 1 });
    expect(await eventOf(id, "ended")).toMatchObject({ exit: { code: 3 }, result: { state: "gone" }, totalBytes: 8 });
    expect(addon.run(id)).toMatchObject({ id, meta: "kept", phase: "ended", foreground: true, exit: { code: 3 } });
    // A folder for the temporary files of a user is nobody else's on Windows.
    if (!onWindows) {
      expect(statSync(started.outputPath).mode & 0o777).toBe(0o600);
      expect(statSync(outputBase).mode & 0o777).toBe(0o700);
    }
    forget(id);
    expect([addon.run(id), addon.runs()]).toEqual([null, []]);
  });

  test("forgets what was written down beside it, or loses it at its end", async () => {
    const id = launch("meta", "read line", { outputBase: temporaryFolder(), meta: '{"a":"ä\\n"}' });
    expect(addon.run(id)?.meta).toBe('{"a":"ä\\n"}');
    expect(addon.setMeta(id, "second")).toBe(true);
    await eventOf(id, "ended");
    expect(addon.runs().map(({ meta }) => meta)).toEqual(["second"]);
    expect(addon.setMeta(id, "third")).toBe(true);
    expect(addon.run(id)?.meta).toBe("third");
    forget(id);
    expect(addon.setMeta(id, "gone")).toBe(false);
  });

  test("cannot be measured, promoted, shown or stopped while it runs", async () => {
    const id = launch("live", "echo up; sleep 600 | cat", { outputBase: temporaryFolder() });
    const { shellPid, outputPath } = await eventOf(id, "started");
    expect(addon.run(id)?.shellPid).toBe(shellPid);
    while (readFileSync(outputPath, "utf8") === "") await new Promise(setImmediate);
    // The shell, sleep and cat; they may still be in the making, and Windows has programs that start each of them.
    let stats = await addon.stats(id);
    while (stats !== null && stats.members < 3) stats = await addon.stats(id);
    expect(stats).toMatchObject({ outputBytes: 3, ...(!onWindows && { members: 3 }) });
    expect(stats?.residentBytes).toBeGreaterThan(0);
    expect(stats?.lastOutputAtMs).toBeGreaterThan(Date.now() - 3_600_000);
    expect(addon.requestSnapshot(id, 2)).toBe(true);
    expect(textOf((await eventOf(id, "snapshot")).snapshot.stdout.tail)).toBe("p\n");
    expect(addon.requestPromotion(id)).toBe(true);
    expect(await eventOf(id, "promoted")).toMatchObject({ by: "request" });
    expect(addon.run(id)?.foreground).toBe(false);
    expect(addon.requestStop(id, "stop", 2_000)).toBe(true);
    expect(await eventOf(id, "ended")).toMatchObject({ reason: "stop", result: { state: "gone" } });
    expect(addon.requestStop(id, "stop")).toBe(false);
    expect(addon.requestPromotion(id)).toBe(false);
    expect(await addon.stats(id)).toMatchObject({ members: 0, outputBytes: 3 });
    forget(id);
    expect(await addon.stats(id)).toBeNull();
  });
});

describe("an error", () => {
  const outputBase = () => temporaryFolder();

  test.each([
    ["a shell that is not there", "SHELL_NOT_FOUND", missing.shell, { shell: { path: missing.shell, kind: "sh" } }],
    // enoent-blames-shell
    ["a folder that is not there", "CWD_MISSING", missing.cwd, { cwd: missing.cwd }],
    ["output that cannot be written", "OUTPUT_UNWRITABLE", unusable, { outputBase: unusable, foreground: false }],
  ] satisfies [string, string, string, Partial<LaunchSpec>][])(
    "for %s has another code, or does not name it",
    async (_, code, named, changes) => {
      const id = launch("error", "true", { outputBase: outputBase(), ...changes });
      const error = await eventOf(id, "started").catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ForemanError);
      expect(error).toMatchObject({ code, message: expect.stringContaining(named) as string });
      expect(addon.run(id)?.phase).toBe("failed");
      forget(id);
    },
  );

  test.each([
    ["an id that is a path", { id: "../x" }],
    ["an empty id", { id: "" }],
    ["a folder that is a path", { outputFolders: ["..", "tasks"] }],
    ["a relative working folder", { cwd: "here" }],
    ["a script with a NUL", { script: "echo \0" }],
    ["a script that is too long", { script: "#".repeat(4 * 1024 * 1024 + 1) }],
    ["a timeout that is no number", { timeoutMs: Number.NaN }],
  ] satisfies [string, Partial<LaunchSpec>][])("for %s comes too late or not at all", (_, changes) => {
    const act = () => launch("bad", "true", { outputBase: outputBase(), ...changes });
    expect(codeOfThrown(act)).toBe("BAD_REQUEST");
    expect(addon.runs()).toEqual([]);
  });

  // empty-output-on-capture-fault
  // On Windows a command is read from a file, since a command line is cut and rewritten there.
  test.skipIf(onWindows)("takes the place of an answer that somebody waits for and that only the file lacks", async () => {
    const id = launch("fileless", "echo hi", { outputBase: unusable });
    const exited = await eventOf(id, "shell-exited");
    expect(textOf(exited.snapshot.stdout.head)).toBe("hi\n");
    expect(exited.captureError).toMatchObject({ path: unusable, bytesLost: 3 });
    await eventOf(id, "ended");
    forget(id);
  });

  test("for an id that is in use comes too late or not at all", async () => {
    const id = launch("twin", "true", { outputBase: outputBase() });
    expect(codeOfThrown(() => launch("twin", "true", { outputBase: outputBase() }))).toBe("BAD_REQUEST");
    await eventOf(id, "ended");
    forget(id);
  });

  // On Windows the addon supervises by itself.
  test.skipIf(onWindows)("for a supervisor that is not there has another code", async () => {
    addon.setShimPath("/no/such/shim");
    try {
      const failed = eventOf(launch("shimless", "true", { outputBase: outputBase() }), "started");
      await expect(failed).rejects.toMatchObject({
        code: "SHIM_MISSING",
        message: expect.stringContaining("/no/such/shim") as string,
      });
      forget("shimless");
    } finally {
      addon.setShimPath(builtShim);
    }
  });

  test("for a run that nobody knows is anything but a no", () => {
    expect(addon.run("unknown")).toBeNull();
    expect(addon.requestStop("unknown", "stop")).toBe(false);
    expect(addon.requestSnapshot("unknown")).toBe(false);
  });
});

describe("a file", () => {
  test("gives another end, or other lines, than it has", async () => {
    const file = path.join(temporaryFolder(), "log");
    writeFileSync(file, "one\r\ntwo ä\nERROR three\npart");
    expect(await addon.tail(file, 10)).toEqual({ text: "three\npart", totalBytes: 28, fromLineStart: false });
    expect(await addon.tail(file, 6)).toEqual({ text: "part", totalBytes: 28, fromLineStart: true });
    const all = await addon.read(file, 0, {});
    expect(all).toEqual({ lines: ["one", "two ä", "ERROR three"], cursor: 24, omittedLines: 0, linesBeforeGap: 3 });
    expect((await addon.read(file, 0, { filter: "^ERROR" })).lines).toEqual(["ERROR three"]);
    expect((await addon.read(file, 0, { filter: "^ERROR", exclude: true })).lines).toEqual(["one", "two ä"]);
    expect((await addon.read(file, all.cursor, {})).lines).toEqual([]);
    expect(await addon.read(file, all.cursor, { final: true })).toMatchObject({ lines: ["part"], cursor: 28 });
  });

  test("that is not there, or a bad pattern, is an error without a code", async () => {
    const file = path.join(temporaryFolder(), "log");
    const codeOf = (promise: Promise<unknown>) =>
      promise.then(
        () => "none",
        (thrown: unknown) => toForemanError(thrown, "BAD_REQUEST").code,
      );
    expect(await codeOf(addon.tail(file, 10))).toBe("OUTPUT_UNREADABLE");
    expect(await codeOf(addon.read(file, 0, {}))).toBe("OUTPUT_UNREADABLE");
    writeFileSync(file, "line\n");
    expect(await codeOf(addon.read(file, 0, { filter: "(" }))).toBe("BAD_PATTERN");
  });
});

describe("a sweep", () => {
  test("ends a run that is alive, or does not say which file is in use", async () => {
    const outputBase = temporaryFolder();
    expect(await addon.sweep(path.join(outputBase, "missing"))).toEqual({ ended: [], liveOutputs: [] });
    const id = launch("swept", "sleep 600", { outputBase });
    const { outputPath } = await eventOf(id, "started");
    expect(await addon.sweep(outputBase)).toEqual({ ended: [], liveOutputs: [outputPath] });
    expect(addon.run(id)?.phase).toBe("running");
    await endRun(id);
    expect(await addon.sweep(outputBase)).toEqual({ ended: [], liveOutputs: [] });
    expect(readdirSync(path.join(outputBase, "journal"))).toEqual([]);
  });
});

describe("the folders that may hold output", () => {
  test("lack the one that is taken when the first belongs to somebody else", async () => {
    const outputBase = path.join(temporaryFolder(), "base");
    // As good as somebody else's: no folder of ours can be there.
    writeFileSync(outputBase, "");
    const { outputPath } = await eventOf(launch("apart", "true", { outputBase }), "started");
    const [first, own = "", ...others] = addon.outputBases(outputBase);
    expect([first, others]).toEqual([outputBase, []]);
    expect(path.resolve(outputPath)).toBe(path.resolve(own, "session", "tasks", "apart.output"));
    await endRun("apart");
    expect(await addon.sweep(outputBase)).toEqual({ ended: [], liveOutputs: [] });
  });
});

describe.skipIf(onWindows)("the shell", () => {
  test("is another than the one that was asked for, or a bad wish is met in silence", () => {
    const cwd = temporaryFolder();
    expect(addon.chooseShell({ override: "/bin/sh", cwd })).toEqual({
      shell: { path: "/bin/sh", kind: "sh" },
      warnings: [],
    });
    expect(addon.chooseShell({ shellPath: "/bin/bash", cwd }).shell).toEqual({ path: "/bin/bash", kind: "bash" });
    const missing = addon.chooseShell({ override: "/no/such/bash", cwd });
    expect(missing.shell).toMatchObject({ kind: "bash" });
    expect(missing.warnings).toEqual([expect.stringContaining("/no/such/bash")]);
  });

  // shell-found-in-cwd
  test("is a file of the project", () => {
    const cwd = temporaryFolder();
    mkdirSync(path.join(cwd, "bin"));
    writeFileSync(path.join(cwd, "bash"), "#!/bin/sh\n", { mode: 0o755 });
    expect(addon.chooseShell({ cwd }).shell?.path.startsWith(cwd)).toBe(false);
  });
});

test("the addon has another version than the package", () => {
  const text = readFileSync(path.resolve(import.meta.dirname, "../../package.json"), "utf8");
  expect(addon.version()).toBe((JSON.parse(text) as { version: string }).version);
});

function codeOfThrown(act: () => unknown): string {
  try {
    act();
    return "none";
  } catch (thrown) {
    return toForemanError(thrown, "SPAWN_FAILED").code;
  }
}
