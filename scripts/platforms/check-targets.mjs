// npm run check:platforms: does everything compile, without a warning of clippy, for the systems this machine cannot run?
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { TARGET_OF_PLATFORM, WINE_TARGET } from "../platform.mjs";
import { addStandardLibrary } from "./cargo.mjs";
import { runCommand } from "./command.mjs";
import { runSteps } from "./steps.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const targets = [...Object.values(TARGET_OF_PLATFORM), WINE_TARGET].filter((target) => !target.includes("linux"));

// Nothing is linked, so an empty file is library enough for the build script of napi.
const LIBNODE_PATH = mkdtempSync(path.join(os.tmpdir(), "libnode-"));
writeFileSync(path.join(LIBNODE_PATH, "libnode.dll"), "");
try {
  await runSteps(targets.map((target) => [`clippy ${target}`, () => clippy(target)]));
} finally {
  rmSync(LIBNODE_PATH, { recursive: true });
}

function clippy(target) {
  addStandardLibrary(target);
  const what = ["--workspace", "--all-targets", "--quiet", "--target", target];
  runCommand("cargo", ["clippy", ...what, "--", "-D", "warnings"], {
    cwd: root,
    env: { ...process.env, LIBNODE_PATH },
    stdio: ["ignore", "pipe", "inherit"],
  });
}
