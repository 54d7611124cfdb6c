// A release is published to a registry on this machine.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { PREBUILT_PLATFORMS } from "../../src/native/platform.ts";
import { REPOSITORY_ROOT } from "../pi/harness/home.ts";
import { type Ended, folderForPath, NPM_11, runNode } from "./package-managers.ts";
import { readCheckout, usePacked } from "./packed-packages.ts";
import { type LocalRegistry, startRegistry } from "./registry.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

// npm is put on PATH as a shell script.
const onUnix = test.skipIf(process.platform === "win32");

const { version } = readCheckout();
const packed = usePacked(version);
const platformPackages = PREBUILT_PLATFORMS.map((platform) => `pi-foreman-${platform}@${version}`);

async function publish(registry: Pick<LocalRegistry, "url">, ...args: string[]): Promise<Ended> {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "publish-")));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const npmrc = path.join(folder, "npmrc");
  writeFileSync(
    npmrc,
    `registry=${registry.url}\n${registry.url.replace("http:", "")}:_authToken=any\nfetch-retries=0\n`,
  );
  const tarballs = path.dirname(packed(version)[0]?.tarball ?? "");
  return runNode([path.join(REPOSITORY_ROOT, "scripts/publish.ts"), "--from", tarballs, ...args], {
    cwd: folder,
    env: {
      PATH: `${folderForPath(NPM_11, path.join(folder, "bin"))}${path.delimiter}${process.env["PATH"] ?? ""}`,
      npm_config_userconfig: npmrc,
      npm_config_cache: path.join(folder, "cache"),
    },
  });
}

onUnix("the main package can be had before its parts", async () => {
  await using registry = await startRegistry([]);
  expect((await publish(registry, "--is-new")).stdout).toBe("true\n");
  const { code } = await publish(registry, "--", "--access", "public");
  expect(registry.received).toEqual([...platformPackages, `pi-foreman@${version}`]);
  expect(code).toBe(0);
});

onUnix("a release whose platform package was refused goes on to the main package", async () => {
  await using registry = await startRegistry([]);
  registry.broken = "pi-foreman-darwin-x64";
  const { code } = await publish(registry);
  expect(code).not.toBe(0);
  expect(registry.received).toEqual(platformPackages.slice(0, PREBUILT_PLATFORMS.indexOf("darwin-x64")));
});

onUnix("a release that broke off cannot be run again, or publishes once more what is published", async () => {
  const missing = ["pi-foreman-linux-x64-musl", "pi-foreman-win32-arm64-msvc", "pi-foreman"];
  await using registry = await startRegistry(
    packed(version).filter(({ manifest }) => !missing.includes(manifest.name)),
  );
  expect((await publish(registry)).code).toBe(0);
  expect(registry.received).toEqual(missing.map((name) => `${name}@${version}`));
});

onUnix("a release that broke off is finished with what was built from another commit", async () => {
  const [first, second, ...others] = packed(version);
  if (first === undefined || second === undefined) throw new Error("too little was packed");
  await using registry = await startRegistry([{ ...first, integrity: second.integrity }, ...others]);
  const { code, stderr } = await publish(registry);
  expect(code).not.toBe(0);
  expect(stderr).toContain(`${first.manifest.name}@${version}: published already, from another build`);
  expect(registry.received).toEqual([]);
});

onUnix("a push that changes no version makes a release", async () => {
  await using registry = await startRegistry(packed(version));
  expect((await publish(registry, "--is-new")).stdout).toBe("false\n");
});

onUnix("a registry that does not answer is taken for one that lacks the package", async () => {
  const { code, stderr } = await publish({ url: "http://127.0.0.1:1/" }, "--is-new");
  expect(code).not.toBe(0);
  expect(stderr).toContain("could not ask whether pi-foreman@");
});
