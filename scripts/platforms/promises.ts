// What a released binary may ask of the system that loads it.

/** As scripts/platforms/read-binary.py tells it. */
export interface BinaryFacts {
  format: "ELF" | "PE" | "MachO";
  /** LIEF's name: X86_64 or AARCH64 (ELF), AMD64 or ARM64 (PE), X86_64 or ARM64 (MachO). */
  machine: string;
  /** The loader an ELF program asks for; null for a library and for a static program. */
  interpreter: string | null;
  libraries: string[];
  /** Symbol versions such as GLIBC_2.17. */
  versions: string[];
}

/** What one package of a platform holds. */
export type BinaryRole = "addon" | "shim";

const MACHINES: Record<string, string[]> = { x64: ["X86_64", "AMD64"], arm64: ["AARCH64", "ARM64"] };

// With glibc comes libgcc_s: Node itself needs it. Nothing else is sure to be there.
const GLIBC_LIBRARIES = /^(lib(c|m|dl|rt|pthread)\.so\.\d+|libgcc_s\.so\.1|ld-linux-[a-z0-9-]+\.so\.\d+)$/;
const MUSL_LIBRARIES = /^libc(\.musl-[a-z0-9_]+\.so\.1|\.so)$/;
const DARWIN_LIBRARIES = /^(\/usr\/lib\/|\/System\/Library\/)/;
// msvcrt.dll is part of every Windows; vcruntime140.dll and the libraries of MinGW are not.
const WINDOWS_LIBRARIES =
  /^(kernel32|kernelbase|ntdll|advapi32|user32|userenv|ws2_32|bcrypt|bcryptprimitives|ole32|oleaut32|shell32|psapi|pdh|powrprof|iphlpapi|netapi32|secur32|msvcrt|api-ms-win-(core|eventing|security)-[a-z0-9-]+)\.dll$/;

/** One line for each broken promise, empty when the file may be released. `oldestGlibc` as in "2.31". */
export function brokenPromises(facts: BinaryFacts, platform: string, role: BinaryRole, oldestGlibc: string): string[] {
  const [system = "", arch = "", libc = ""] = platform.split("-");
  const broken: string[] = [];
  const format = { linux: "ELF", darwin: "MachO", win32: "PE" }[system];
  if (facts.format !== format) broken.push(`is a ${facts.format} file, ${platform} loads ${String(format)}`);
  if (!MACHINES[arch]?.includes(facts.machine)) broken.push(`is for ${facts.machine}, not for ${arch}`);

  if (system === "linux" && role === "shim") {
    if (facts.interpreter !== null) broken.push(`is not static: asks for the loader ${facts.interpreter}`);
    broken.push(...facts.libraries.map((library) => `is not static: asks for ${library}`));
    return broken;
  }
  const allowed = allowedLibraries(system, libc);
  const foreign = facts.libraries.filter(
    (library) => !allowed.test(system === "win32" ? library.toLowerCase() : library),
  );
  broken.push(...foreign.map((library) => `asks for ${library}, which is not part of the system`));
  broken.push(
    ...facts.versions
      .filter((version) => version.startsWith("GLIBC_") && isNewer(version.slice("GLIBC_".length), oldestGlibc))
      .map((version) => `asks for ${version}, newer than glibc ${oldestGlibc}`),
  );
  return broken;
}

function allowedLibraries(system: string, libc: string): RegExp {
  if (system === "win32") return WINDOWS_LIBRARIES;
  if (system === "darwin") return DARWIN_LIBRARIES;
  return libc === "musl" ? MUSL_LIBRARIES : GLIBC_LIBRARIES;
}

/** Compares as numbers, part by part: 2.4 is older than 2.31. A version that is no number (GLIBC_PRIVATE) is too new. */
function isNewer(version: string, than: string): boolean {
  const parts = version.split(".").map(Number);
  const bounds = than.split(".").map(Number);
  if (parts.some(Number.isNaN)) return true;
  for (let index = 0; index < Math.max(parts.length, bounds.length); index++) {
    const difference = (parts[index] ?? 0) - (bounds[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
