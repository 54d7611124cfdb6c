// What a person has after `pi install`: the packages as a release packs them, from a registry on this machine, put in place
// by the package managers that people use, and run by real pi.
import { copyFileSync, existsSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { platformFiles } from "../../scripts/packages/platform.ts";
import { builtAddon } from "../native/core.ts";
import { Installation } from "./installation.ts";
import { NPM_11, NPM_12, PNPM } from "./package-managers.ts";
import { readCheckout, usePacked } from "./packed-packages.ts";
import { startRegistry } from "./registry.ts";
import { thisPlatform } from "./this-platform.ts";

const SUPERVISOR = platformFiles(thisPlatform).supervisor ?? "";
const OWN_PACKAGE = `pi-foreman-${thisPlatform}`;
const version = readCheckout().version;
/** Newer, and no longer: it has to find room in the addon. */
const newer = version.replaceAll(/\d/g, "9");
const packed = usePacked(version, newer);

/** Tells whether our core runs it, or pi itself. */
const command = { tool: "bash", args: { command: "echo run by ${PI_FOREMAN_RUN:+foreman}" } };

// Each test waits for a handful of installs, which take seconds even from this machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

// The package managers are put on PATH as shell scripts.
const onUnix = test.skipIf(process.platform === "win32");

onUnix.each([
  { how: "npm 11", manager: NPM_11 },
  { how: "npm 11 --ignore-scripts", manager: NPM_11, npmrc: "ignore-scripts=true" },
  { how: "npm 12", manager: NPM_12 },
  { how: "pnpm", manager: PNPM },
])("after an install with $how the core is not used, or something else was installed", async (given) => {
  await using registry = await startRegistry(packed(version));
  const installation = await Installation.create(given.manager, registry, given.npmrc);
  await installation.pi("install", "npm:pi-foreman");

  const { results, stderr } = await installation.ask([command, { text: "done" }]);
  expect(stderr).toBe("");
  expect(results[0]).toMatchObject({ tool: "bash", isError: false });
  expect(results[0]?.text).toBe("run by foreman");
  expect(installation.installedNames()).toEqual(["pi-foreman", OWN_PACKAGE]);
  expect(statSync(installation.find(SUPERVISOR)).mode & 0o111).toBe(0o111);

  await installation.pi("remove", "npm:pi-foreman");
  expect(existsSync(installation.mainPackage)).toBe(false);
  const after = await installation.ask([{ text: "done" }]);
  expect(after.stderr).toBe("");
  expect(after.tools).not.toContain("TaskStop");
});

// node-file-locked
onUnix("an update while pi is running breaks the pi that is running", async () => {
  await using registry = await startRegistry(packed(version));
  const installation = await Installation.create(NPM_12, registry);
  await installation.pi("install", "npm:pi-foreman");
  const waiting = { tool: "bash", args: { command: "echo $$ > pid; exec tail -f /dev/null", run_in_background: true } };
  const pi = installation.start([waiting, { text: "started" }]);
  await pi.run("go");

  registry.publish(packed(newer));
  await installation.pi("update", "npm:pi-foreman");
  expect(installation.installedVersion()).toBe(newer);

  const look = { tool: "bash", args: { command: "until [ -s pid ]; do :; done; kill -0 $(cat pid) && echo alive" } };
  pi.model.push([look, { text: "done" }]);
  await pi.run("once more");
  expect(pi.toolResults()[1]).toMatchObject({ isError: false, text: "alive" });

  const next = await installation.ask([command, { text: "done" }]);
  expect(next.stderr).toBe("");
  expect(next.results[0]?.text).toBe("run by foreman");
});

// js-native-version-skew
onUnix("an update that was cut short leaves pi without a shell, or with a core that nobody warns of", async () => {
  await using registry = await startRegistry(packed(newer));
  const installation = await Installation.create(NPM_12, registry);
  await installation.pi("install", "npm:pi-foreman");
  copyFileSync(builtAddon, installation.find(path.basename(builtAddon)));

  const { stderr, results, tools } = await installation.ask([command, { text: "done" }]);
  expect(stderr.match(/^pi-foreman: .*$/gm)).toEqual([
    expect.stringContaining(`is version ${version}, but this is pi-foreman ${newer}.`),
  ]);
  expect(results[0]).toMatchObject({ tool: "bash", isError: false });
  expect(results[0]?.text.trim()).toBe("run by");
  expect(tools).toEqual(expect.arrayContaining(["bash", "TaskCreate"]));
});

onUnix("what is installed is written to by a pi that uses it, or cannot be used when it is read-only", async () => {
  await using registry = await startRegistry(packed(version));
  const installation = await Installation.create(NPM_11, registry);
  await installation.pi("install", "npm:pi-foreman");
  installation.makeReadOnly();
  const before = installation.installedFiles();
  const { results, stderr } = await installation.ask([command, { text: "done" }]);
  expect(stderr).toBe("");
  expect(results[0]?.text).toBe("run by foreman");
  // Whoever runs this as root may write all the same: so it is looked at whether anything did.
  expect(installation.installedFiles()).toEqual(before);
});
