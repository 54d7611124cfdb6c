// npm run test:platforms [-- <word>...]: what one Linux machine can show of the other platforms, by emulation.
// With words, only the steps whose titles hold one of them.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { TARGET_OF_PLATFORM, WINE_TARGET } from "../platform.mjs";
import { buildTarget } from "./build-target.mjs";
import { checkBinaries } from "./check-binaries.mjs";
import { runCoreTests } from "./core-tests.mjs";
import { runJsTests } from "./js-tests.mjs";
import { runOnLinux } from "./linux.mjs";
import { runSteps } from "./steps.mjs";
import { NODE_VERSIONS, runOnWindows } from "./windows.mjs";

const tests = fileURLToPath(new URL("../../__test__", import.meta.url));
const steps = [];
for (const platform of Object.keys(TARGET_OF_PLATFORM)) {
  if (platform.startsWith("win32")) continue;
  const title = platform.startsWith("darwin") ? "links (not a release)" : "builds, and asks for no more than promised";
  steps.push([`${platform} ${title}`, () => buildAndCheck(TARGET_OF_PLATFORM[platform], platform)]);
}
for (const platform of Object.keys(TARGET_OF_PLATFORM).filter((name) => name.startsWith("linux"))) {
  const run = (options) => runOnLinux({ platform, ...options });
  steps.push([`${platform} tests of the core`, () => runCoreTests(platform, run)]);
  steps.push([`${platform} tests of the addon in Node`, () => runJsTests(platform, run)]);
}
const wine = "win32-x64-gnu";
// No package managers there.
const windowsTests = readdirSync(tests)
  .filter((name) => name !== "install")
  .map((name) => `__test__/${name}`);
steps.push([`${wine} builds, and asks for no more than promised`, () => buildAndCheck(WINE_TARGET, wine)]);
steps.push([`${wine} tests of the core in Wine`, () => runCoreTests(wine, runOnWindows)]);
for (const version of NODE_VERSIONS) {
  const node = `C:\\node${version.split(".")[0]}\\node.exe`;
  const run = ({ command: [, ...args], ...options }) => runOnWindows({ command: [node, ...args], ...options });
  steps.push([`${wine} tests of the addon in Node ${version}, Wine`, () => runJsTests(wine, run, windowsTests)]);
}

const words = process.argv.slice(2);
await runSteps(steps.filter(([title]) => words.length === 0 || words.some((word) => title.includes(word))));

async function buildAndCheck(target, platform) {
  await buildTarget(target);
  return checkBinaries(platform);
}
