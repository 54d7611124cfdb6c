// What is packed, before any package manager has a say.
import { expect, test, vi } from "vitest";
import { platformFields, platformFiles } from "../../scripts/packages/platform.ts";
import { mainManifest, platformManifest } from "../../scripts/packages/manifest.ts";
import { PREBUILT_PLATFORMS } from "../../src/native/platform.ts";
import { readCheckout, usePacked } from "./packed-packages.ts";
import { thisPlatform } from "./this-platform.ts";

vi.setConfig({ hookTimeout: 180_000 });

const checkout = readCheckout();
const packed = usePacked(checkout.version);

function filesOf(name: string): string[] {
  const found = packed(checkout.version).find(({ manifest }) => manifest.name === name);
  return found?.files.map((file) => file.path) ?? [];
}

test.each([
  ["linux-x64-gnu", { os: ["linux"], cpu: ["x64"], libc: ["glibc"] }],
  ["linux-arm64-musl", { os: ["linux"], cpu: ["arm64"], libc: ["musl"] }],
  ["darwin-arm64", { os: ["darwin"], cpu: ["arm64"] }],
  ["win32-x64-msvc", { os: ["win32"], cpu: ["x64"] }],
])("%s is installed on another system", (platform, fields) => {
  expect(platformFields(platform)).toEqual(fields);
});

test("the main package asks for a platform in another version, or for none", () => {
  const names = PREBUILT_PLATFORMS.map((platform) => [`pi-foreman-${platform}`, checkout.version]);
  expect(mainManifest(checkout)["optionalDependencies"]).toEqual(Object.fromEntries(names));
});

test("something is run when a package is installed, or an install wants what only a checkout needs", () => {
  const manifests = [mainManifest(checkout), ...PREBUILT_PLATFORMS.map((name) => platformManifest(checkout, name))];
  for (const manifest of manifests) {
    expect(Object.keys(manifest)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(scripts|dependencies|devDependencies|overrides|private|bin)$/)]),
    );
    expect(manifest.version).toBe(checkout.version);
    expect(manifest["license"]).toBe("MIT");
  }
});

test("pi finds no extension in the main package, or the package holds more than it runs", () => {
  const { extensions } = mainManifest(checkout)["pi"] as { extensions: string[] };
  const files = filesOf("pi-foreman");
  expect(files).toEqual(expect.arrayContaining(extensions.map((file) => file.replace("./", ""))));
  expect(files.filter((file) => !/^dist\/[\w-]+\.js(\.map)?$/.test(file)).sort()).toEqual(
    ["CHANGELOG.md", "LICENSE", "README.md", "package.json"].sort(),
  );
});

test.each(PREBUILT_PLATFORMS)("the package of %s lacks its binary, or its supervisor cannot be run", (platform) => {
  const { addon, supervisor } = platformFiles(platform);
  const files = filesOf(`pi-foreman-${platform}`);
  const binaries = supervisor === undefined ? [addon] : [addon, supervisor];
  expect(files.sort()).toEqual(["LICENSE", "README.md", "package.json", ...binaries].sort());
  const found = packed(checkout.version).find(({ manifest }) => manifest.name === `pi-foreman-${platform}`);
  const mode = found?.files.find((file) => file.path === supervisor)?.mode;
  if (supervisor !== undefined && process.platform !== "win32") expect(mode).toBe(0o755);
});

/** Bounds what one platform takes on a person's disk: what it takes now, and a tenth. */
const MAX_PLATFORM_BYTES = 2_600_000;

test("the package of a platform has grown", () => {
  const own = packed(checkout.version).find(({ manifest }) => manifest.name === `pi-foreman-${thisPlatform}`);
  const bytes = own?.files.reduce((sum, file) => sum + file.size, 0) ?? 0;
  expect(bytes).toBeGreaterThan(500_000);
  expect(bytes).toBeLessThan(MAX_PLATFORM_BYTES);
});
