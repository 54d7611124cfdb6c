// Ends when its event loop is empty, after it has asked for one run and holds nothing else open.
//   wait-for-run.ts <script> foreground|background
import { tmpdir } from "node:os";
import { loadNative, type Shell } from "../../../src/native.ts";
import { waitForAnswer } from "../../../src/runs/foreground.ts";
import { RunRegistry } from "../../../src/runs/registry.ts";
import { startRun } from "../../../src/runs/start.ts";
import { waitForStart } from "../../../src/runs/started.ts";

const [script = "", how] = process.argv.slice(2);
const foreground = how === "foreground";
const native = loadNative();
if (!native.ok) throw new Error(native.message);
const registry = new RunRegistry(native.addon);
registry.restore();
const limits = { timeoutMs: 60_000, graceMs: 1_000 };
const run = startRun(registry, {
  command: script,
  script,
  description: undefined,
  sessionId: "session",
  cwd: tmpdir(),
  shell: JSON.parse(process.env["TEST_SHELL"] ?? "") as Shell,
  env: {},
  foreground,
  onTimeout: "stop",
  maxOutputChars: 1_000,
  outputCapBytes: 1_000_000,
  ...limits,
});

if (foreground) {
  const answer = await waitForAnswer(registry, { run, signal: undefined, promoteOnInterrupt: false, ...limits });
  process.stdout.write(`answered: ${new TextDecoder().decode(answer.snapshot.stdout.head)}`);
} else {
  await waitForStart(registry, run);
  process.stdout.write("started");
}
