// Lays out the folders that are published: one for each platform that was built, and the main one.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { PREBUILT_PLATFORMS } from "../../src/native/platform.ts";
import { type Manifest, mainManifest, platformManifest, platformPackageName, platformReadme } from "./manifest.ts";
import { platformFiles } from "./platform.ts";

export interface LaidOut {
  name: string;
  folder: string;
  /** What the package takes on a person's disk. */
  unpackedBytes: number;
}

/** Files of the main package beside `dist/`. */
const MAIN_FILES = ["CHANGELOG.md", "README.md", "LICENSE"];

/** What was built into `native/` becomes packages in `out/`; what was in there is removed first. The main package comes last. */
export function layOutPackages(root: string, out: string): LaidOut[] {
  const checkout = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as Manifest;
  rmSync(out, { recursive: true, force: true });
  const built = PREBUILT_PLATFORMS.filter((platform) => existsSync(path.join(root, "native", platform)));
  return [
    ...built.map((platform) => layOutPlatform(root, out, checkout, platform)),
    layOutMain(root, path.join(out, checkout.name), checkout),
  ];
}

function layOutPlatform(root: string, out: string, checkout: Manifest, platform: string): LaidOut {
  const name = platformPackageName(checkout, platform);
  const folder = path.join(out, name);
  mkdirSync(folder, { recursive: true });
  const { addon, supervisor } = platformFiles(platform);
  const from = (file: string): string => path.join(root, "native", platform, file);
  copyFileSync(from(addon), path.join(folder, addon));
  chmodSync(path.join(folder, addon), 0o644);
  if (supervisor !== undefined) {
    copyFileSync(from(supervisor), path.join(folder, supervisor));
    // What was handed from one machine of a workflow to the next has lost it.
    chmodSync(path.join(folder, supervisor), 0o755);
  }
  copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
  writeFileSync(path.join(folder, "README.md"), platformReadme(checkout, platform));
  writeJson(path.join(folder, "package.json"), platformManifest(checkout, platform));
  return { name, folder, unpackedBytes: sizeOf(folder) };
}

function layOutMain(root: string, folder: string, checkout: Manifest): LaidOut {
  const dist = path.join(root, "dist");
  if (!existsSync(dist)) throw new Error("dist/ is not there; run `npm run build:js`");
  cpSync(dist, path.join(folder, "dist"), { recursive: true });
  for (const file of MAIN_FILES) copyFileSync(path.join(root, file), path.join(folder, file));
  writeJson(path.join(folder, "package.json"), mainManifest(checkout));
  return { name: checkout.name, folder, unpackedBytes: sizeOf(folder) };
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, file) => sum + statSync(path.join(file.parentPath, file.name)).size, 0);
}
