// The tests of the core, built here for another platform and run on a machine for it.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { TARGET_OF_PLATFORM, WINE_TARGET } from "../platform.mjs";
import { cargoFor } from "./cargo.mjs";
import { runCommand } from "./command.mjs";
import { GAPS, heldText } from "./gaps.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const TIMEOUT_MS = 15 * 60_000;

/** How many held; throws with the names of those that did not. `run` starts a program on the machine. */
export async function runCoreTests(platform, run) {
  const target = TARGET_OF_PLATFORM[platform] ?? WINE_TARGET;
  await cargo(target, "build", ["-p", "foreman-shim", "-p", "foreman-testkit"]);
  const built = await cargo(target, "test", ["-p", "foreman-core", "--no-run"]);
  const programs = built.filter((each) => each.profile?.test && each.executable).map((each) => each.executable);
  if (programs.length === 0) throw new Error("cargo built no tests");

  const skipped = Object.keys(GAPS[platform].core);
  const args = ["--test-threads=2", "--exact", ...skipped.flatMap((name) => ["--skip", name])];
  // Cargo runs tests in the folder of their crate, and beside them lie the programs that they start.
  const env = { FOREMAN_TEST_BINARIES: path.dirname(path.dirname(programs[0])) };
  let held = 0;
  const broken = [];
  for (const program of programs) {
    let output = "";
    const keep = (bytes) => (output += bytes.toString());
    const command = [program, ...args];
    const code = await run({ command, env, shown: [root], timeoutMs: TIMEOUT_MS, onStdout: keep, onStderr: keep });
    held += Number(/^test result: .*? (\d+) passed/m.exec(output)?.[1] ?? 0);
    const failed = [...output.matchAll(/^test (\S+) \.\.\. FAILED/gm)].map((match) => match[1]);
    if (code !== 0 && failed.length === 0) failed.push(`${path.basename(program)} ended with ${code}`);
    if (code !== 0) console.error(output);
    broken.push(...failed);
  }
  if (broken.length > 0) throw new Error(`${held} held, ${broken.length} did not:\n  ${broken.join("\n  ")}`);
  return heldText(held, skipped.length);
}

/** The messages of cargo about what it built. */
async function cargo(target, subcommand, args) {
  const { command, env } = await cargoFor(subcommand, target);
  const [program, ...before] = command;
  const output = runCommand(program, [...before, "--quiet", "--message-format=json", ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const messages = output.split("\n").filter((line) => line.startsWith("{"));
  return messages.map((line) => JSON.parse(line)).filter((message) => message.reason === "compiler-artifact");
}
