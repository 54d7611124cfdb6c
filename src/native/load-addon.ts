// Finds and loads the addon for this machine, and makes sure that everything is of one version.
import path from "node:path";
import type { BinaryExtent } from "./binary-extent.ts";
import { describeLoadFailure, type LoadFailure } from "./load-failure.ts";
import { platformName, PREBUILT_PLATFORMS, type PlatformHost } from "./platform.ts";

/** The machine as far as the loader cares; given by tests. */
export interface LoaderHost extends PlatformHost {
  env: Record<string, string | undefined>;
  /** Folder of package.json: holds `native/` in a checkout. */
  packageRoot: string;
  exists(file: string): boolean;
  isExecutable(file: string): boolean;
  /** Undefined: the file cannot be read. */
  extent(file: string): BinaryExtent | undefined;
  /** Loads a binary by its absolute path; throws what the loader says. */
  load(file: string): unknown;
  /** Path of the binary of an installed platform package; undefined when it is not installed. */
  resolve(packageName: string): string | undefined;
  version(): string;
}

/** What the loader itself needs of an addon. */
export interface Loadable {
  version(): string;
  /** Tells where the supervisor is; before the first launch. */
  setShimPath(path: string): void;
}

/** Either the addon, or in plain words why there is none and what to do. */
export type LoadedAddon<A extends Loadable> = { ok: true; addon: A; from: string } | { ok: false; message: string };

/** Never throws. The order: the folder `PI_FOREMAN_NATIVE`, the checkout's `native/`, the platform package. */
export function loadAddonOn<A extends Loadable>(host: LoaderHost): LoadedAddon<A> {
  let platform = "this machine";
  try {
    platform = platformName(host);
    const found = loadFor(host, platform);
    return "kind" in found ? failed(found, host) : { ok: true, addon: found.addon as A, from: found.from };
  } catch (error) {
    return failed({ kind: "broke-off", platform, reason: messageOf(error) }, host);
  }
}

function loadFor(host: LoaderHost, platform: string): { addon: Loadable; from: string } | LoadFailure {
  const file = findBinary(host, platform);
  if (typeof file !== "string") return file;
  const packageName = packageOf(platform);
  const cut = cutShort(host, file, packageName);
  if (cut !== undefined) return cut;
  let addon: Loadable;
  try {
    addon = host.load(file) as Loadable;
  } catch (error) {
    return { kind: "refused", file, packageName, reason: messageOf(error) };
  }
  if (typeof addon.version !== "function") return { kind: "no-addon", file };
  const found = addon.version();
  const wanted = host.version();
  if (found !== wanted) return { kind: "other-version", file, found, wanted };
  // On Windows the addon supervises by itself.
  if (host.platform !== "win32") {
    const supervisor = path.join(path.dirname(file), "foreman-shim");
    if (!host.exists(supervisor)) return { kind: "no-supervisor", supervisor, packageName };
    if (!host.isExecutable(supervisor)) return { kind: "supervisor-not-executable", supervisor };
    const cutSupervisor = cutShort(host, supervisor, packageName);
    if (cutSupervisor !== undefined) return cutSupervisor;
    addon.setShimPath(supervisor);
  }
  return { addon, from: file };
}

function cutShort(host: LoaderHost, file: string, packageName: string): LoadFailure | undefined {
  const extent = host.extent(file);
  if (extent === undefined || extent.bytes >= extent.wantedBytes) return undefined;
  return { kind: "cut-short", file, packageName, ...extent };
}

function findBinary(host: LoaderHost, platform: string): string | LoadFailure {
  const binary = `pi-foreman.${platform}.node`;
  const override = host.env["PI_FOREMAN_NATIVE"];
  if (override) {
    const wanted = path.resolve(override, binary);
    return host.exists(wanted) ? wanted : { kind: "override-empty", override, wanted };
  }
  const built = path.join(host.packageRoot, "native", platform, binary);
  if (host.exists(built)) return built;
  if (!PREBUILT_PLATFORMS.includes(platform)) {
    return { kind: "no-such-platform", platform, prebuilt: PREBUILT_PLATFORMS };
  }
  const packageName = packageOf(platform);
  return host.resolve(packageName) ?? { kind: "not-installed", packageName, installed: installedInstead(host) };
}

/** A lockfile, or a whole node_modules, that came from another system brings that system's package. */
function installedInstead(host: LoaderHost): string | undefined {
  return PREBUILT_PLATFORMS.map(packageOf).find((name) => host.resolve(name) !== undefined);
}

function packageOf(platform: string): string {
  return `pi-foreman-${platform}`;
}

function failed(failure: LoadFailure, host: LoaderHost): { ok: false; message: string } {
  return { ok: false, message: describeLoadFailure(failure, host.packageRoot) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
