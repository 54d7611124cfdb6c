import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadAddonOn, platformName, toForemanError, type LoaderHost } from "../src/native.ts";

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
    load: (target) => require(target) as unknown,
    resolve: () => undefined,
    isMusl: () => false,
    version: () => "1.2.3",
    ...change,
  };
}

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

function messageOf(given: LoaderHost): string {
  const loaded = loadAddonOn(given);
  return loaded.ok ? "loaded" : loaded.message;
}

test("a missing package is not named, or nobody says what to do", () => {
  // optional-dep-missing
  expect(messageOf(host())).toMatch(
    /pi-foreman-linux-x64-gnu.*not installed.*--include=optional.*pi's own bash stays/s,
  );
  expect(messageOf(host({ isMusl: () => true }))).toContain("pi-foreman-linux-x64-musl");
});

test("the loader's own words are hidden", () => {
  // real-error-hidden
  writeFileSync(path.join(checkoutFolder(), "pi-foreman.linux-x64-gnu.node"), "\x7fELF damaged");
  const message = messageOf(host());
  expect(message).toContain(path.join(root, "native"));
  expect(message).toContain("pi-foreman-linux-x64-gnu");
  expect(message).toMatch(/file too short|invalid ELF header|not a mach-o|not a valid Win32/i);
});

test("a folder named by hand is passed over when it is empty", () => {
  expect(messageOf(host({ env: { PI_FOREMAN_NATIVE: "/no/such" } }))).toContain("PI_FOREMAN_NATIVE names /no/such");
});

test("an addon of another version is used", () => {
  // js-native-version-skew
  const folder = checkoutFolder();
  writeFileSync(path.join(folder, "pi-foreman.linux-x64-gnu.node"), "");
  const load = (): unknown => ({ version: () => "1.2.2", setShimPath: () => undefined });
  expect(messageOf(host({ load }))).toMatch(
    /version 1\.2\.2, but this is pi-foreman 1\.2\.3.*npm install pi-foreman@1\.2\.3/s,
  );
});

test("a missing shim is found out at the first command", () => {
  const folder = checkoutFolder();
  const binary = path.join(folder, "pi-foreman.linux-x64-gnu.node");
  writeFileSync(binary, "");
  let shim = "";
  const load = (): unknown => ({ version: () => "1.2.3", setShimPath: (given: string) => (shim = given) });
  expect(messageOf(host({ load }))).toMatch(/foreman-shim is missing/);
  copyFileSync(binary, path.join(folder, "foreman-shim"));
  expect(loadAddonOn(host({ load }))).toMatchObject({ ok: true, from: binary });
  expect(shim).toBe(path.join(folder, "foreman-shim"));
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
