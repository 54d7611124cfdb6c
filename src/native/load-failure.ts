// In plain words why there is no addon and what to do about it. Pure: the loader found out, this only says it.
import path from "node:path";

/** Why the addon is not there. */
export type LoadFailure =
  | { kind: "no-such-platform"; platform: string; prebuilt: readonly string[] }
  | { kind: "override-empty"; override: string; wanted: string }
  | { kind: "not-installed"; packageName: string; installed: string | undefined }
  | { kind: "cut-short"; file: string; packageName: string; bytes: number; wantedBytes: number }
  | { kind: "refused"; file: string; packageName: string; reason: string }
  | { kind: "no-addon"; file: string }
  | { kind: "other-version"; file: string; found: string; wanted: string }
  | { kind: "no-supervisor"; supervisor: string; packageName: string }
  | { kind: "supervisor-not-executable"; supervisor: string }
  | { kind: "broke-off"; platform: string; reason: string };

/** One paragraph for the person; the system's own words are always in it. */
export function describeLoadFailure(failure: LoadFailure, packageRoot: string): string {
  return `pi-foreman: ${whatAndHow(failure, packageRoot)} Until then pi's own bash stays in use.`;
}

function whatAndHow(failure: LoadFailure, packageRoot: string): string {
  const again = reinstall(packageRoot);
  switch (failure.kind) {
    case "no-such-platform":
      return (
        `there is no binary for ${failure.platform}, only for ${failure.prebuilt.join(", ")}. ${wayOut(failure.platform)}`
      );
    case "override-empty":
      return `PI_FOREMAN_NATIVE names ${failure.override}, but ${failure.wanted} does not exist.`;
    case "not-installed":
      return (
        `the package ${failure.packageName}, which holds the binary for this machine, is not installed` +
        `${failure.installed === undefined ? "" : `, but ${failure.installed} is: it was installed on another system`}. ` +
        `${again} If it is missing again, npm leaves optional packages out: ` +
        `"npm config get omit" must not say "optional".`
      );
    case "cut-short":
      return (
        `${failure.file} (package ${failure.packageName}) is damaged: only ${failure.bytes} of at least ` +
        `${failure.wantedBytes} bytes are there. See that the disk is not full. ${again}`
      );
    case "refused":
      return (
        `${failure.file} (package ${failure.packageName}) could not be loaded: ${withoutFullStop(failure.reason)}. ` +
        (hintFor(failure.reason) ?? `If it is damaged or made for another system, install it anew. ${again}`)
      );
    case "no-addon":
      return `${failure.file} is no addon of pi-foreman. ${again}`;
    case "other-version":
      return `${failure.file} is version ${failure.found}, but this is pi-foreman ${failure.wanted}. ${again}`;
    case "no-supervisor":
      return `${failure.supervisor} is missing; it belongs to ${failure.packageName}. ${again}`;
    case "supervisor-not-executable":
      return `${failure.supervisor} cannot be executed: run "chmod +x" on it, or move it off a file system mounted noexec.`;
    case "broke-off":
      return `looking for the binary of ${failure.platform} failed: ${failure.reason}.`;
  }
}

/** What the person runs. Removing first makes a package manager choose again what fits this machine, whatever its lockfile says. */
function reinstall(packageRoot: string): string {
  const isInstalled = packageRoot.split(path.sep).includes("node_modules");
  const how = isInstalled ? `"pi remove npm:pi-foreman" and "pi install npm:pi-foreman"` : `"npm run build" in ${packageRoot}`;
  return `Run ${how}, then start pi again.`;
}

function wayOut(platform: string): string {
  return /-(ia32|arm)\b/.test(platform)
    ? "If the machine has 64 bits, run pi with a 64-bit Node."
    : "Built from source elsewhere, it is taken from the folder that PI_FOREMAN_NATIVE names.";
}

/** Reasons that installing anew does not mend. */
function hintFor(reason: string): string | undefined {
  if (/version `?GLIBC_/.test(reason)) return "The C library of this system is too old: glibc 2.31 or newer is needed.";
  if (/libc\.musl|ld-musl|ld-linux|Error relocating/.test(reason)) {
    return "The binary is for another C library (glibc or musl) than that of this Node.";
  }
  if (/failed to map segment|Operation not permitted|Permission denied/.test(reason)) {
    return "Its folder may be mounted noexec, or forbidden to this user.";
  }
  return undefined;
}

/** Windows puts the file on a line of its own. */
function withoutFullStop(text: string): string {
  return text
    .trim()
    .replace(/\s*[\r\n]+\s*/g, " ")
    .replace(/\.$/, "");
}
