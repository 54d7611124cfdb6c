// What the extension adds to the start of a real pi, with pi's cache of compiled extensions warm and cold.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import type { Bench } from "../bench.ts";
import { interleave, median } from "../measure.ts";
import { checkLimit, formatMs, type Row } from "../table.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const OURS = path.join(ROOT, "dist/bash.js");
const PEER = path.join(ROOT, "node_modules/@ladbabynpm/picc-bash/index.ts");

export const loadExtension: Bench = async ({ workspace, rounds, quick }) => {
  const title = (cache: string) => `loading the bash extension, ${cache} transform cache: added to pi's start`;
  if (!existsSync(OURS)) return [{ what: title("any"), skipped: "dist/bash.js is not built: npm run build:js" }];
  const folder = path.join(workspace.folder, "load-extension");
  mkdirSync(folder);

  /** pi compiles extensions into the temp folder, so a new one is a cold cache. */
  const start = (extension: string | undefined, temp: "warm" | "cold") => {
    const tmp = temp === "warm" ? path.join(folder, "warm") : mkdtempSync(path.join(folder, "cold-"));
    mkdirSync(tmp, { recursive: true });
    const ms = timeStartOfPi(extension, folder, tmp);
    if (temp === "cold") rmSync(tmp, { recursive: true });
    return Promise.resolve(ms);
  };
  const ms = await interleave(quick ? 1 : Math.max(rounds, 15), {
    without: () => start(undefined, "warm"),
    oursWarm: () => start(OURS, "warm"),
    oursCold: () => start(OURS, "cold"),
    peerWarm: () => start(PEER, "warm"),
    peerCold: () => start(PEER, "cold"),
  });
  const added = (times: number[]) => median(times) - median(ms.without);
  const row = (cache: string, ours: number[], peer: number[], limit: number): Row => ({
    what: title(cache),
    values: { "pi-foreman": formatMs(added(ours)), "picc-bash": formatMs(added(peer)) },
    checks: [checkLimit(added(ours), limit, "ms", `on top of ${formatMs(median(ms.without))}`)],
  });
  return [row("warm", ms.oursWarm, ms.peerWarm, 25), row("cold", ms.oursCold, ms.peerCold, 120)];
};

/** `--list-models` loads every extension and ends. Nobody's settings, no network. */
function timeStartOfPi(extension: string | undefined, home: string, tmp: string): number {
  const args = ["--list-models", "--no-extensions", ...(extension === undefined ? [] : ["-e", extension])];
  const start = performance.now();
  const { status, stderr } = spawnSync(path.join(ROOT, "node_modules/.bin/pi"), args, {
    cwd: home,
    env: {
      PATH: `${path.dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      HOME: home,
      TMPDIR: tmp,
      PI_OFFLINE: "1",
    },
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
  });
  const ms = performance.now() - start;
  if (status !== 0 || stderr.includes("Failed to load")) throw new Error(`pi ended with ${status ?? "?"}: ${stderr}`);
  return ms;
}
