// node scripts/platforms/wine.mjs [--timeout-s <n>] -- <program> <argument>...
// Runs a Windows program; also the cargo runner of x86_64-pc-windows-gnu. Exits with its exit code.
import { realpathSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { runOnWindows } from "./windows.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
// What of the environment means something to the programs that are tested.
const PASSED_ON = /^(CI|CARGO_|RUST_|NODE_|NAPI_|PI_|FOREMAN_|PROPTEST_|VITEST|WINEPATH$|WINEDEBUG$)/;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "timeout-s": { type: "string", default: "900" } },
});
const command = positionals;
if (command.length === 0) {
  console.error("usage: node scripts/platforms/wine.mjs [--timeout-s <n>] -- <program> <argument>...");
  process.exit(2);
}
const shown = [root, realpathSync(path.join(root, "node_modules")), process.cwd()];
if (path.isAbsolute(command[0])) shown.push(path.dirname(command[0]));
shown.push(...(process.env.PI_FOREMAN_SHOWN_FOLDERS ?? "").split(":").filter(Boolean));

const code = await runOnWindows({
  command,
  shown,
  env: Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.test(name))),
  timeoutMs: Number(values["timeout-s"]) * 1000,
});
process.exitCode = code;
