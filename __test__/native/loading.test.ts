// What a person reads when the binary cannot be loaded. Real binaries, broken on purpose.
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { builtAddon, builtShim } from "./core.ts";
import { runHost, temporaryFolder } from "./run-host.ts";

const BINARY = path.basename(builtAddon);
const PLATFORM = BINARY.split(".")[1] ?? "";
const ROOT = path.resolve(import.meta.dirname, "../..");

interface Installed {
  /** What `loadNative` of this installation says, from a new process. */
  load(env?: Record<string, string>): Promise<{ ok: boolean; message?: string; from?: string }>;
  /** The folder of the platform package. */
  folder: string;
}

/** The package as npm would lay it out, with the platform package beside it. */
function install({ version = ownVersion() } = {}): Installed {
  const root = temporaryFolder();
  const folder = path.join(root, "node_modules", `pi-foreman-${PLATFORM}`);
  mkdirSync(path.join(root, "src"), { recursive: true });
  mkdirSync(folder, { recursive: true });
  for (const part of ["native.ts", "native"]) cpSync(path.join(ROOT, "src", part), path.join(root, "src", part), { recursive: true });
  writeFileSync(path.join(root, "package.json"), JSON.stringify({ type: "module", version }));
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: path.basename(folder), main: BINARY }));
  copyFileSync(builtAddon, path.join(folder, BINARY));
  if (process.platform !== "win32") copyFileSync(builtShim, path.join(folder, "foreman-shim"));
  const program = path.join(root, "load.ts");
  writeFileSync(
    program,
    `import { loadNative } from "./src/native.ts";
     const { ok, message, from } = loadNative();
     process.stdout.write(JSON.stringify({ ok, message, from }));`,
  );
  return {
    folder,
    load: async (env) => {
      const { stdout, stderr } = await runHost(program, [], {
        // Not the one that the tests themselves may have been given.
        PI_FOREMAN_NATIVE: "",
        ...env,
      });
      expect(stderr).toBe("");
      return JSON.parse(stdout) as Awaited<ReturnType<Installed["load"]>>;
    },
  };
}

function ownVersion(): string {
  return (JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as { version: string }).version;
}

test("an installed platform package is not found", async () => {
  const installed = install();
  expect(await installed.load()).toEqual({ ok: true, from: path.join(installed.folder, BINARY) });
});

// optional-dep-missing
test("a missing platform package is not named, or nothing says what to do", async () => {
  const installed = install();
  rmSync(installed.folder, { recursive: true });
  const { ok, message } = await installed.load();
  expect(ok).toBe(false);
  expect(message).toContain(`pi-foreman-${PLATFORM}`);
  expect(message).toContain("then start pi again");
  expect(message).toContain("pi's own bash stays in use");
});

// real-error-hidden
test("the loader's own words about a damaged binary are hidden", async () => {
  const installed = install();
  const file = path.join(installed.folder, BINARY);
  const bytes = readFileSync(file);
  bytes.fill(0, 0, 64);
  writeFileSync(file, bytes);
  const { ok, message } = await installed.load();
  expect(ok).toBe(false);
  expect(message).toContain(file);
  // glibc, musl, macOS, Windows, Wine.
  expect(message).toMatch(/could not be loaded: .*(invalid ELF header|Exec format|mach-o|Win32|EXE format)/i);
});

// A full disk, or an update that was killed. Linux maps such a file without a word and ends the process with SIGBUS.
test.each([0, 10, 40, 70, 95, 99])("a binary of which only %i percent are there ends pi at each start", async (percent) => {
  const cut = async (name: string, whole: string): Promise<void> => {
    const installed = install();
    const file = path.join(installed.folder, name);
    truncateSync(file, Math.floor((statSync(whole).size * percent) / 100));
    const { ok, message } = await installed.load();
    expect(ok).toBe(false);
    expect(message).toContain(file);
    // On Windows it is the system that refuses all but the empty one.
    if (process.platform !== "win32") expect(message).toMatch(/is damaged: only \d+ of at least \d+ bytes/);
  };
  await cut(BINARY, builtAddon);
  if (process.platform !== "win32") await cut("foreman-shim", builtShim);
});

// js-native-version-skew
test("two versions that do not belong together are loaded", async () => {
  const installed = install({ version: "99.0.0" });
  const { ok, message } = await installed.load();
  expect(ok).toBe(false);
  expect(message).toContain(`is version ${ownVersion()}, but this is pi-foreman 99.0.0`);
});

test.runIf(process.platform !== "win32")("a package without its supervisor is loaded and fails later", async () => {
  const installed = install();
  rmSync(path.join(installed.folder, "foreman-shim"));
  expect(await installed.load()).toMatchObject({
    ok: false,
    message: expect.stringContaining("foreman-shim is missing") as string,
  });
});

test("a folder that was asked for and holds no binary is passed over in silence", async () => {
  const installed = install();
  const elsewhere = temporaryFolder();
  expect(await installed.load({ PI_FOREMAN_NATIVE: elsewhere })).toMatchObject({
    ok: false,
    message: expect.stringContaining(`PI_FOREMAN_NATIVE names ${elsewhere}`) as string,
  });
  copyFileSync(builtAddon, path.join(elsewhere, BINARY));
  if (process.platform !== "win32") copyFileSync(builtShim, path.join(elsewhere, "foreman-shim"));
  chmodSync(path.join(elsewhere, BINARY), 0o644);
  expect(await installed.load({ PI_FOREMAN_NATIVE: elsewhere })).toEqual({ ok: true, from: path.join(elsewhere, BINARY) });
});
