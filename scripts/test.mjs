// Runs all tests, of both languages even when the first fail, and ends with one line that counts them together.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

const counts = [await testRust(), await testJs()];
const passed = sum("passed");
const failed = sum("failed");
console.log(`\n${passed} passed, ${failed} failed, ${sum("skipped")} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

async function testRust() {
  const { exitCode, output } = await run("cargo", ["test", "--workspace", "--quiet", "--no-fail-fast"], "pipe");
  const results = [...output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm)];
  const total = (group) => results.reduce((all, result) => all + Number(result[group]), 0);
  return honest("cargo test", exitCode, { passed: total(1), failed: total(2), skipped: total(3) });
}

async function testJs() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "test-report-"));
  const report = path.join(folder, "report.json");
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const { exitCode } = await run(process.execPath, [vitest, "run", ...reporters], "inherit");
    const result = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : {};
    return honest("vitest", exitCode, {
      passed: result.numPassedTests ?? 0,
      failed: result.numFailedTests ?? 0,
      skipped: (result.numPendingTests ?? 0) + (result.numTodoTests ?? 0),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A runner can fail without a failed test (it did not compile, a worker crashed); that counts as one. */
function honest(runner, exitCode, count) {
  if (exitCode === 0 || count.failed > 0) return count;
  console.error(`${runner} failed (exit code ${exitCode}) outside of a test.`);
  return { ...count, failed: 1 };
}

async function run(command, args, stdout) {
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", stdout, "inherit"] });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    output += text;
    process.stdout.write(text);
  });
  try {
    const [exitCode] = await once(child, "close");
    return { exitCode: exitCode ?? 1, output };
  } catch (error) {
    console.error(`${command} could not be started: ${error.message}`);
    return { exitCode: 1, output };
  }
}

function sum(key) {
  return counts.reduce((all, count) => all + count[key], 0);
}
