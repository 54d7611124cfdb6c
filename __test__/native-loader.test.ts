import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { parseTriple } from "@napi-rs/cli";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readExtent, wantedBytes } from "../src/native/binary-extent.ts";
import { loadAddonOn, type LoaderHost } from "../src/native/load-addon.ts";
import { platformName, PREBUILT_PLATFORMS } from "../src/native/platform.ts";
import { toForemanError } from "../src/native.ts";

const require = createRequire(import.meta.url);
let root = "";

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "foreman-loader-"));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

/** A package folder on a Linux machine where nothing is installed; the loader is Node's own. */
function host(change: Partial<LoaderHost> = {}): LoaderHost {
  return {
    platform: "linux",
    arch: "x64",
    env: {},
    packageRoot: root,
    exists: existsSync,
    isExecutable: (file) => (statSync(file).mode & 0o100) !== 0,
    extent: readExtent,
    load: (target) => require(target) as unknown,
    resolve: () => undefined,
    isMusl: () => false,
    version: () => "1.2.3",
    ...change,
  };
}

/** Long enough for a binary. */
const SOME_BYTES = "-".repeat(100);

function checkoutFolder(): string {
  const folder = path.join(root, "native", "linux-x64-gnu");
  mkdirSync(folder, { recursive: true });
  return folder;
}

test.each([
  ["linux", "x64", false, "linux-x64-gnu"],
  ["linux", "arm64", true, "linux-arm64-musl"],
  ["darwin", "arm64", false, "darwin-arm64"],
  ["win32", "x64", false, "win32-x64-msvc"],
] as const)("%s %s (musl: %s) takes another package than %s", (platform, arch, musl, name) => {
  expect(platformName({ platform, arch, isMusl: () => musl })).toBe(name);
});

test("a platform that is built has no name in the loader", () => {
  const { napi } = require("../package.json") as { napi: { targets: string[] } };
  expect(napi.targets.map((target) => parseTriple(target).platformArchABI)).toEqual(PREBUILT_PLATFORMS);
});

function messageOf(given: LoaderHost): string {
  const loaded = loadAddonOn(given);
  return loaded.ok ? "loaded" : loaded.message;
}

test("a missing package is not named, or nobody says what to do", () => {
  // optional-dep-missing
  expect(messageOf(host({ packageRoot: path.resolve("/h/.pi/agent/npm/node_modules/pi-foreman") }))).toMatch(
    /pi-foreman-linux-x64-gnu.*not installed\. Run "pi remove npm:pi-foreman" and "pi install npm:pi-foreman".*"npm config get omit".*pi's own bash stays/s,
  );
  expect(messageOf(host({ isMusl: () => true }))).toContain("pi-foreman-linux-x64-musl");
});

test("who works on pi-foreman is told to install it", () => {
  expect(messageOf(host())).toContain(`Run "npm run build" in ${root}`);
});

test("a package that came from another system is not noticed", () => {
  const resolve = (name: string): string | undefined => (name === "pi-foreman-darwin-arm64" ? "/x" : undefined);
  expect(messageOf(host({ resolve }))).toContain("but pi-foreman-darwin-arm64 is: it was installed on another system");
});

test.each([
  ["freebsd", "x64", /no binary for freebsd-x64, only for linux-x64-gnu, .*PI_FOREMAN_NATIVE/],
  ["linux", "arm", /no binary for linux-arm-gnu.*64-bit Node/],
  ["win32", "ia32", /no binary for win32-ia32-msvc.*64-bit Node/],
  ["linux", "riscv64", /no binary for linux-riscv64-gnu/],
] as const)("on %s %s a package is asked for that does not exist", (platform, arch, expected) => {
  const message = messageOf(host({ platform, arch }));
  expect(message).toMatch(expected);
  expect(message).not.toContain("pi install");
});

test.each([
  ["/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.31' not found (required by x.node)", /glibc 2\.31 or newer/],
  ["libc.musl-x86_64.so.1: cannot open shared object file: No such file or directory", /another C library/],
  ["Error loading shared library ld-linux-x86-64.so.2: No such file or directory", /another C library/],
  ["Error relocating x.node: __res_init: symbol not found", /another C library/],
  ["x.node: failed to map segment from shared object", /noexec/],
  ["x.node: wrong ELF class: ELFCLASS32", /made for another system.*npm run build/],
])("what the loader says (%s) leaves the person without a way out", (reason, expected) => {
  // real-error-hidden, glibc-too-new
  writeFileSync(path.join(checkoutFolder(), "pi-foreman.linux-x64-gnu.node"), SOME_BYTES);
  const load = (): never => {
    throw new Error(reason);
  };
  const message = messageOf(host({ load }));
  expect(message).toContain(reason);
  expect(message).toMatch(expected);
});

test("the loader's own words are hidden", () => {
  // real-error-hidden
  writeFileSync(path.join(checkoutFolder(), "pi-foreman.linux-x64-gnu.node"), SOME_BYTES);
  const message = messageOf(host());
  expect(message).toContain(path.join(root, "native"));
  expect(message).toContain("pi-foreman-linux-x64-gnu");
  expect(message).toMatch(
    /file too short|invalid ELF header|Exec format|not a mach-o|not a valid Win32|Bad EXE format/i,
  );
});

test("a folder named by hand is passed over when it is empty", () => {
  expect(messageOf(host({ env: { PI_FOREMAN_NATIVE: "/no/such" } }))).toContain("PI_FOREMAN_NATIVE names /no/such");
});

test("an addon of another version is used", () => {
  // js-native-version-skew
  const folder = checkoutFolder();
  writeFileSync(path.join(folder, "pi-foreman.linux-x64-gnu.node"), SOME_BYTES);
  const load = (): unknown => ({ version: () => "1.2.2", setShimPath: () => undefined });
  expect(messageOf(host({ load }))).toMatch(/version 1\.2\.2, but this is pi-foreman 1\.2\.3.*then start pi again/s);
});

// Windows has no such program, and no such permission.
test.skipIf(process.platform === "win32")("a missing shim is found out at the first command", () => {
  const folder = checkoutFolder();
  const binary = path.join(folder, "pi-foreman.linux-x64-gnu.node");
  writeFileSync(binary, SOME_BYTES);
  let shim = "";
  const load = (): unknown => ({ version: () => "1.2.3", setShimPath: (given: string) => (shim = given) });
  expect(messageOf(host({ load }))).toMatch(/foreman-shim is missing/);
  copyFileSync(binary, path.join(folder, "foreman-shim"));
  expect(messageOf(host({ load }))).toMatch(/foreman-shim cannot be executed: run "chmod \+x"/);
  chmodSync(path.join(folder, "foreman-shim"), 0o755);
  writeFileSync(path.join(folder, "foreman-shim"), "");
  expect(messageOf(host({ load }))).toMatch(/foreman-shim .*is damaged: only 0 of at least 64 bytes/);
  writeFileSync(path.join(folder, "foreman-shim"), SOME_BYTES);
  expect(loadAddonOn(host({ load }))).toMatchObject({ ok: true, from: binary });
  expect(shim).toBe(path.join(folder, "foreman-shim"));
});

test("a binary that was cut short is not told from a whole one", () => {
  const elf = Buffer.alloc(64);
  elf.write("\x7fELF\x02\x01", "latin1");
  elf.writeBigUInt64LE(1_833_344n, 40);
  elf.writeUInt16LE(64, 58);
  elf.writeUInt16LE(31, 60);
  expect(wantedBytes(elf)).toBe(1_833_344 + 31 * 64);

  const machO = Buffer.alloc(32 + 24 + 72);
  machO.writeUInt32LE(0xfeedfacf, 0);
  machO.writeUInt32LE(2, 16);
  machO.writeUInt32LE(0x1b, 32);
  machO.writeUInt32LE(24, 36);
  machO.writeUInt32LE(0x19, 56);
  machO.writeUInt32LE(72, 60);
  machO.writeBigUInt64LE(1_048_576n, 56 + 40);
  machO.writeBigUInt64LE(186_016n, 56 + 48);
  expect(wantedBytes(machO)).toBe(1_234_592);

  expect(wantedBytes(Buffer.from(SOME_BYTES))).toBe(64);
  expect(wantedBytes(elf.subarray(0, 40))).toBe(64);
  expect(wantedBytes(Buffer.alloc(0))).toBe(64);
});

test("looking for the addon keeps pi from starting", () => {
  const broken = (): never => {
    throw new Error("no /proc");
  };
  expect(messageOf(host({ isMusl: broken }))).toContain("no /proc");
  expect(messageOf(host({ resolve: broken }))).toContain("no /proc");
});

test.each([
  [Object.assign(new Error("no such folder: /x"), { code: "CWD_MISSING" }), "CWD_MISSING", "no such folder: /x"],
  [new Error("BAD_REQUEST: the script holds a NUL"), "BAD_REQUEST", "the script holds a NUL"],
  [new Error("ODD: thing"), "SPAWN_FAILED", "ODD: thing"],
  ["text", "SPAWN_FAILED", "text"],
])("what the core throws (%s) loses its code", (thrown, code, message) => {
  expect(toForemanError(thrown, "SPAWN_FAILED")).toMatchObject({ code, message });
});
