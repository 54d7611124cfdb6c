// node scripts/platforms/check-binaries.mjs [<platform>...]
// Reads what is built in native/ and fails when a file asks for more than is promised; tells the sizes.
import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { OLDEST_GLIBC } from "./cargo.mjs";
import { runCommand } from "./command.mjs";
import { brokenPromises } from "./promises.ts";
import { pythonPackages } from "./python-packages.mjs";

/** Of the binaries of one platform. */
const MAX_BYTES = 2_000_000;
const native = fileURLToPath(new URL("../../native", import.meta.url));
const reader = fileURLToPath(new URL("read-binary.py", import.meta.url));

/** Throws with every broken promise; else one line about the sizes. `platform` is a folder of native/. */
export async function checkBinaries(platform) {
  const folder = path.join(native, platform);
  if (!existsSync(folder)) throw new Error(`native/${platform} is not built`);
  const files = readdirSync(folder).filter((file) => file.endsWith(".node") || file === "foreman-shim");
  const wanted = platform.startsWith("win32") ? 1 : 2;
  if (files.length < wanted) throw new Error(`native/${platform} holds only ${files.join(", ")}`);
  const PYTHONPATH = await pythonPackages(["lief==1.0.0"]);
  const paths = files.map((file) => path.join(folder, file));
  const facts = JSON.parse(runCommand("python3", [reader, ...paths], { env: { ...process.env, PYTHONPATH } }));
  const broken = files.flatMap((file, index) =>
    brokenPromises(facts[index], platform, file === "foreman-shim" ? "shim" : "addon", OLDEST_GLIBC).map(
      (line) => `native/${platform}/${file} ${line}`,
    ),
  );
  const bytes = paths.map((file) => statSync(file).size);
  const total = bytes.reduce((all, each) => all + each, 0);
  const parts = files.map((file, index) => `${file} ${megabytes(bytes[index])}`);
  const sizes = `${parts.join(", ")}: ${megabytes(total)} MB`;
  if (total > MAX_BYTES) broken.push(`native/${platform} is too big (at most ${megabytes(MAX_BYTES)} MB): ${sizes}`);
  if (broken.length > 0) throw new Error(broken.join("\n"));
  return sizes;
}

function megabytes(bytes) {
  return (bytes / 1_000_000).toFixed(2);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const platforms = process.argv.length > 2 ? process.argv.slice(2) : readdirSync(native).filter(isFolder);
  for (const platform of platforms) {
    try {
      console.log(`${platform}: ${await checkBinaries(platform)}`);
    } catch (error) {
      console.error(error.message);
      process.exitCode = 1;
    }
  }
}

function isFolder(name) {
  return statSync(path.join(native, name)).isDirectory();
}
