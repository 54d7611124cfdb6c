// Starts the real pi with this package on a scripted model (no key, no network) and plays the main job.
// In a terminal it is pi's own interface; otherwise each step is printed, and the exit code says whether all went well.
import { existsSync } from "node:fs";
import path from "node:path";
import { REPOSITORY_ROOT } from "../__test__/pi/harness/home.ts";
import type { PiOptions } from "../__test__/pi/harness/pi-under-test.ts";
import { playInteractive } from "./interactive.ts";
import { playPrinted } from "./printed.ts";
import { AFTER_STORY, STORY } from "./story.ts";

const ENTRY = path.join(REPOSITORY_ROOT, "dist/bash.js");

if (!existsSync(ENTRY)) {
  process.stderr.write(`${ENTRY} is not there: \`npm run demo\` builds it first.\n`);
  process.exit(1);
}
const options: PiOptions = { script: STORY, afterScript: AFTER_STORY, extensions: [ENTRY] };
const play = process.stdin.isTTY && process.stdout.isTTY ? playInteractive : playPrinted;
try {
  process.exitCode = (await play(options)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`The demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
