// A package manager did not bring the binary of this machine: pi still starts, says so once, and what it says to do helps.
import { rmSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import type { Answered } from "./installation.ts";
import { Installation } from "./installation.ts";
import { NPM_11, NPM_12, PNPM } from "./package-managers.ts";
import { readCheckout, usePacked } from "./packed-packages.ts";
import { startRegistry } from "./registry.ts";
import { thisPlatform } from "./this-platform.ts";

const { version } = readCheckout();
const packed = usePacked(version);
const OWN_PACKAGE = `pi-foreman-${thisPlatform}`;
/** What is neither this system nor this processor. */
const FOREIGN = thisPlatform === "darwin-arm64" ? "linux-x64-gnu" : "darwin-arm64";
const [FOREIGN_OS = "", FOREIGN_CPU = ""] = FOREIGN.split("-");

// Each test waits for a handful of installs, which take seconds even from this machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

// The package managers are put on PATH as shell scripts.
const onUnix = test.skipIf(process.platform === "win32");

const command = { tool: "bash", args: { command: "echo run by ${PI_FOREMAN_RUN:+foreman}" } };
const task = { tool: "TaskCreate", args: { subject: "Write", description: "the tests", activeForm: "Writing" } };
const turns = [command, task, { text: "done" }];

/** pi's own bash and the task list, with one warning. */
function expectWithoutCore({ stderr, results, tools, code }: Answered, says: string): void {
  expect(code).toBe(0);
  expect(stderr.match(/^pi-foreman: .*$/gm)).toEqual([expect.stringContaining(says)]);
  expect(stderr).toContain("pi's own bash stays in use");
  expect(results[0]).toMatchObject({ tool: "bash", isError: false });
  expect(results[0]?.text.trim()).toBe("run by");
  expect(results[1]).toMatchObject({ tool: "TaskCreate", isError: false });
  expect(tools).not.toContain("TaskStop");
}

async function expectMended(installation: Installation): Promise<void> {
  await installation.pi("remove", "npm:pi-foreman");
  await installation.pi("install", "npm:pi-foreman");
  const { stderr, results } = await installation.ask(turns);
  expect(stderr).toBe("");
  expect(results[0]?.text).toBe("run by foreman");
}

// optional-dep-missing
onUnix("without optional packages pi does not start, or nothing says why bash is not ours", async () => {
  await using registry = await startRegistry(packed(version));
  const installation = await Installation.create(NPM_12, registry, "omit=optional\n");
  await installation.pi("install", "npm:pi-foreman");
  expect(installation.installedNames()).toEqual(["pi-foreman"]);
  const answered = await installation.ask(turns);
  expectWithoutCore(answered, `the package ${OWN_PACKAGE}, which holds the binary for this machine, is not installed`);
  expect(answered.stderr).toContain(`"npm config get omit" must not say "optional"`);

  installation.write("~/.npmrc", "");
  await expectMended(installation);
});

// optional-dep-missing
onUnix("packages that came from another system with all they hold stay without a binary", async () => {
  await using registry = await startRegistry(packed(version));
  const installation = await Installation.create(NPM_11, registry);
  await installation.pi("install", "npm:pi-foreman");
  await installation.manage("install", "--force", `--os=${FOREIGN_OS}`, `--cpu=${FOREIGN_CPU}`, "pi-foreman");
  expect(installation.installedNames()).toEqual(["pi-foreman", `pi-foreman-${FOREIGN}`]);
  expectWithoutCore(await installation.ask(turns), `but pi-foreman-${FOREIGN} is: it was installed on another system`);
  await expectMended(installation);
});

// optional-dep-missing
onUnix.each([
  { manager: NPM_11, foreign: [`--os=${FOREIGN_OS}`, `--cpu=${FOREIGN_CPU}`], again: ["ci"] },
  { manager: NPM_12, foreign: [`--os=${FOREIGN_OS}`, `--cpu=${FOREIGN_CPU}`], again: ["ci"] },
  { manager: PNPM, foreign: [], again: ["install", "--frozen-lockfile"] },
])("a lockfile made on another system keeps $manager.name from installing the binary", async (given) => {
  await using registry = await startRegistry(packed(version));
  const installation = await Installation.create(given.manager, registry);
  await installation.pi("install", "npm:pi-foreman");
  if (given.manager === PNPM) {
    // pnpm takes the system from the manifest.
    installation.changeProject({ pnpm: { supportedArchitectures: { os: [FOREIGN_OS], cpu: [FOREIGN_CPU] } } });
  }
  rmSync(path.join(installation.packages, "node_modules"), { recursive: true });
  await installation.manage("install", ...given.foreign);
  expect(installation.installedNames()).toEqual(["pi-foreman", `pi-foreman-${FOREIGN}`]);

  if (given.manager === PNPM) installation.changeProject({ pnpm: undefined });
  rmSync(path.join(installation.packages, "node_modules"), { recursive: true });
  await installation.manage(...given.again);
  expect(installation.installedNames()).toEqual(["pi-foreman", OWN_PACKAGE]);
});
