// The addon without any TypeScript around it: these programs are started hundreds of times, and stripping types would be
// most of what they do.
import { createRequire } from "node:module";

const { TEST_ADDON = "", TEST_SHIM = "", TEST_OUTPUT_BASE = "", TEST_SHELL = "" } = process.env;

/** Loads the addon, or another copy of it. */
export function openAddon(file = TEST_ADDON) {
  const addon = createRequire(import.meta.url)(file);
  addon.setShimPath(TEST_SHIM);
  addon.subscribe(() => undefined);
  return addon;
}

export function specOf(id, script) {
  return {
    id,
    script,
    shell: JSON.parse(TEST_SHELL),
    cwd: process.cwd(),
    env: {},
    foreground: false,
    outputBase: TEST_OUTPUT_BASE,
    outputFolders: ["session", "tasks"],
    meta: "",
  };
}
