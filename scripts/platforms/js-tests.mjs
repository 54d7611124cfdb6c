// The tests of the addon in TypeScript, run by the Node of another platform with the addon built for it.
import { existsSync, readFileSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { GAPS, heldText } from "./gaps.mjs";
import { unpackNpmPackage } from "./npm-package.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const modules = realpathSync(path.join(root, "node_modules"));
const TIMEOUT_MS = 30 * 60_000;
const TEST_TIMEOUT_MS = 5 * 60_000;

/** How many held; throws with the titles of those that did not. `run` starts `node` on the machine. */
export async function runJsTests(platform, run, files = ["__test__/native"]) {
  const skipped = Object.keys(GAPS[platform].js);
  const skippedFiles = Object.keys(GAPS[platform].files ?? {});
  const bundler = await bundlerFor(platform);
  const report = path.join(".vitest", `${platform}.json`);
  rmSync(path.join(root, report), { force: true });
  // An emulated processor is slow, and a bound is for what hangs.
  const patience = [`--testTimeout=${TEST_TIMEOUT_MS}`, `--hookTimeout=${TEST_TIMEOUT_MS}`];
  const reporting = ["--reporter=json", `--outputFile.json=${report}`];
  let output = "";
  const keep = (bytes) => (output += bytes.toString());
  const code = await run({
    command: [
      "node",
      "node_modules/vitest/vitest.mjs",
      "run",
      ...files,
      ...reporting,
      ...patience,
      ...leavingOut(skipped),
      ...skippedFiles.map((file) => `--exclude=${file}`),
    ],
    env: {
      CI: "1",
      // Elsewhere the addon lies where it is looked for anyway; what MinGW made never has the name of a release.
      ...(platform.startsWith("win32") && { PI_FOREMAN_NATIVE: `Z:${path.join(root, "native", platform)}` }),
      // The bundler below vitest loads this binary, whatever system its package was installed for.
      NAPI_RS_NATIVE_LIBRARY_PATH: bundler,
    },
    shown: [root, modules, path.dirname(bundler)],
    timeoutMs: TIMEOUT_MS,
    onStdout: keep,
    onStderr: keep,
  });
  const result = read(path.join(root, report), output, code);
  const broken = result.testResults.flatMap((file) => [
    ...file.assertionResults
      .filter((test) => test.status === "failed")
      .map((test) => `${test.fullName}\n${test.failureMessages.join("\n").split("\n").slice(0, 4).join("\n")}`),
    ...(file.assertionResults.length === 0 && file.status === "failed" ? [`${file.name}: ${file.message}`] : []),
  ]);
  if (code !== 0 && broken.length === 0) broken.push(`vitest ended with ${code}`);
  const held = result.numPassedTests;
  if (broken.length > 0) throw new Error(`${held} held, ${broken.length} did not:\n  ${broken.join("\n  ")}`);
  return heldText(held, skipped.length, skippedFiles.length);
}

function bundlerFor(platform) {
  const { version } = JSON.parse(readFileSync(path.join(modules, "rolldown/package.json"), "utf8"));
  const name = platform === "win32-x64-gnu" ? "win32-x64-msvc" : platform;
  return unpackNpmPackage(`@rolldown/binding-${name}`, version).then((folder) =>
    path.join(folder, `rolldown-binding.${name}.node`),
  );
}

function leavingOut(titles) {
  if (titles.length === 0) return [];
  const patterns = titles.map((title) => title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return [`--testNamePattern=^(?!.*(${patterns.join("|")})$)`];
}

function read(file, output, code) {
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  throw new Error(`vitest ended with ${code} before its report\n${output.slice(-2000)}`);
}
