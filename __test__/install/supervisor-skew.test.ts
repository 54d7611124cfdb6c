// An update that was cut short leaves a supervisor of another version beside the addon.
import { chmodSync, copyFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startPiPrint } from "../pi/harness/index.ts";
import { builtAddon, builtShim } from "../native/core.ts";

/** Stands before the real supervisor and lets it see a protocol version that is one more than that of the addon. */
const LATER_PROTOCOL = `
const { spawn } = require("node:child_process");
const shim = spawn(${JSON.stringify(builtShim)}, process.argv.slice(2), { stdio: ["pipe", "inherit", "inherit"] });
let isFirst = true;
process.stdin.on("data", (bytes) => {
  // A frame is its length, then the version, 4 bytes each.
  if (isFirst) bytes.writeUInt32LE(bytes.readUInt32LE(4) + 1, 4);
  isFirst = false;
  shim.stdin.write(bytes);
});
process.stdin.on("end", () => shim.stdin.end());
shim.on("exit", () => process.exit());
`;

// js-native-version-skew
test.skipIf(process.platform === "win32")("nothing says that addon and supervisor do not belong together", async () => {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "skew-")));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  copyFileSync(builtAddon, path.join(folder, path.basename(builtAddon)));
  const supervisor = path.join(folder, "foreman-shim");
  writeFileSync(supervisor, `#!${process.execPath}\n${LATER_PROTOCOL}`);
  chmodSync(supervisor, 0o755);
  const pi = await startPiPrint({
    extensions: ["dist/bash.js"],
    env: { PI_FOREMAN_NATIVE: folder },
    script: [{ tool: "bash", args: { command: "echo ran" } }, { text: "done" }],
  });
  await pi.finished();
  const [result] = pi.toolResults();
  expect(result).toMatchObject({ isError: true, details: { error: "VERSION_SKEW" } });
  expect(result?.text).toMatch(
    /the addon speaks protocol \d+, the foreman-shim beside it \d+: pi-foreman was updated while pi ran.* Restart pi/,
  );
});
