// The packages as a release packs them. Of the platforms that were not built here there are packages too, with a text in
// place of the binary: a package manager must choose among all of them.
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { Manifest } from "../../scripts/packages/manifest.ts";
import { layOutPackages } from "../../scripts/packages/lay-out.ts";
import { platformFiles } from "../../scripts/packages/platform.ts";
import { PREBUILT_PLATFORMS } from "../../src/native/platform.ts";
import { REPOSITORY_ROOT } from "../pi/harness/home.ts";
import { NPM_11, runManager } from "./package-managers.ts";

export interface PackedPackage {
  manifest: Manifest;
  tarball: string;
  integrity: string;
  files: { path: string; mode: number; size: number }[];
}

export function readCheckout(): Manifest {
  return JSON.parse(readFileSync(path.join(REPOSITORY_ROOT, "package.json"), "utf8")) as Manifest;
}

/** Packs these versions before the tests of a file; they are there until its end. */
export function usePacked(...versions: string[]): (version: string) => PackedPackage[] {
  const packed = new Map<string, PackedPackage[]>();
  let folder = "";
  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "packed-")));
    for (const version of versions) packed.set(version, await packPackages(path.join(folder, version), version));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return (version) => packed.get(version) ?? [];
}

/** Main and platform packages as if this were the version of the checkout. */
async function packPackages(folder: string, version: string): Promise<PackedPackage[]> {
  const checkout = copyBuilt(path.join(folder, "checkout"), version);
  const laidOut = layOutPackages(checkout, path.join(folder, "npm"));
  const tarballs = path.join(folder, "tarballs");
  mkdirSync(tarballs);
  const { stdout } = await runManager(
    NPM_11,
    ["pack", "--json", "--pack-destination", tarballs, ...laidOut.map((one) => one.folder)],
    { cwd: folder },
  );
  const packed = JSON.parse(stdout) as {
    name: string;
    filename: string;
    integrity: string;
    files: PackedPackage["files"];
  }[];
  return laidOut.map(({ name, folder: from }) => {
    const found = packed.find((one) => one.name === name);
    if (found === undefined) throw new Error(`npm pack did not pack ${name}`);
    const manifest = JSON.parse(readFileSync(path.join(from, "package.json"), "utf8")) as Manifest;
    return { ...found, manifest, tarball: path.join(tarballs, found.filename) };
  });
}

/** What `npm run build` and builds on other machines leave, as far as it is packed. */
function copyBuilt(root: string, version: string): string {
  mkdirSync(path.join(root, "native"), { recursive: true });
  writeFileSync(path.join(root, "package.json"), JSON.stringify({ ...readCheckout(), version }));
  for (const name of ["dist", "CHANGELOG.md", "README.md", "LICENSE"]) {
    cpSync(path.join(REPOSITORY_ROOT, name), path.join(root, name), { recursive: true });
  }
  for (const platform of PREBUILT_PLATFORMS) {
    const built = path.join(REPOSITORY_ROOT, "native", platform);
    const { addon, supervisor } = platformFiles(platform);
    const folder = path.join(root, "native", platform);
    const isBuilt = existsSync(path.join(built, addon));
    mkdirSync(folder);
    for (const file of [addon, supervisor]) {
      if (file === undefined) continue;
      if (isBuilt) copyFileSync(path.join(built, file), path.join(folder, file));
      else writeFileSync(path.join(folder, file), `not built here: ${platform}\n`);
    }
    if (isBuilt) setVersion(path.join(folder, addon), version);
  }
  return root;
}

/** Of two releases of the same code, the addons differ in nothing but the version, which stands once in each. */
function setVersion(addon: string, version: string): void {
  const own = readCheckout().version;
  if (version === own) return;
  if (version.length !== own.length) throw new Error(`${version} has no room in the place of ${own}`);
  const bytes = readFileSync(addon);
  const start = bytes.indexOf(own);
  if (start === -1 || bytes.includes(own, start + 1)) throw new Error(`${own} does not stand once in ${addon}`);
  bytes.write(version, start);
  writeFileSync(addon, bytes);
  // The system ends a process that loads code changed after it was signed.
  if (process.platform === "darwin") execFileSync("codesign", ["--force", "--sign", "-", addon]);
}
