// Where everything downloaded or prepared for the foreign platforms stays; the name of an entry holds its versions.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** Can be deleted at any time: each script makes again what it misses. */
export const cacheFolder = path.join(
  process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"),
  "pi-foreman-platforms",
);

/**
 * The folder `name` of the cache. When it is missing, `fill` makes it in a folder that gets the name only when `fill`
 * is done, so that an interrupted download is never taken for a whole one.
 */
export async function cached(name, fill) {
  const folder = path.join(cacheFolder, name);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder, { recursive: true });
  const unfinished = mkdtempSync(path.join(cacheFolder, `unfinished-${name}-`));
  try {
    console.error(`preparing ${name} in ${cacheFolder}`);
    await fill(unfinished);
    // As a layer it is the root of a system, whose users are not all root.
    chmodSync(unfinished, 0o755);
    renameInto(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** Two scripts can prepare the same entry; the first one to be done wins, and both are right. */
function renameInto(unfinished, folder) {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}
