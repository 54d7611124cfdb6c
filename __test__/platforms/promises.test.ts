import { describe, expect, it } from "vitest";
import { brokenPromises, type BinaryFacts } from "../../scripts/platforms/promises.ts";

const elf: BinaryFacts = {
  format: "ELF",
  machine: "X86_64",
  interpreter: null,
  libraries: ["libc.so.6"],
  versions: [],
};
const pe: BinaryFacts = { ...elf, format: "PE", machine: "AMD64", libraries: ["KERNEL32.dll", "ntdll.dll"] };
const machO: BinaryFacts = { ...elf, format: "MachO", machine: "ARM64", libraries: ["/usr/lib/libSystem.B.dylib"] };

function broken(facts: BinaryFacts, platform: string, role: "addon" | "shim" = "addon"): string[] {
  return brokenPromises(facts, platform, role, "2.31");
}

describe("a released addon", () => {
  it("loads on Debian 11: glibc 2.31 and older are asked for, 2.32 is not", () => {
    const versions = ["GLIBC_2.2.5", "GLIBC_2.4", "GLIBC_2.31"];
    expect(broken({ ...elf, versions }, "linux-x64-gnu")).toEqual([]);
    expect(broken({ ...elf, versions: [...versions, "GLIBC_2.34"] }, "linux-x64-gnu")).toEqual([
      "asks for GLIBC_2.34, newer than glibc 2.31",
    ]);
    expect(broken({ ...elf, versions: ["GLIBC_PRIVATE"] }, "linux-x64-gnu")).toHaveLength(1);
    expect(broken({ ...elf, versions: ["GLIBC_3.0"] }, "linux-x64-gnu")).toHaveLength(1);
  });

  it("asks for nothing that has to be installed first", () => {
    expect(broken({ ...elf, libraries: ["libc.so.6", "libssl.so.3"] }, "linux-x64-gnu")).toHaveLength(1);
    expect(broken({ ...elf, libraries: ["libc.so.6"] }, "linux-x64-musl")).toHaveLength(1);
    expect(broken({ ...elf, libraries: ["libgcc_s.so.1"] }, "linux-x64-musl")).toHaveLength(1);
    expect(broken({ ...elf, libraries: ["libc.so"] }, "linux-x64-musl")).toEqual([]);
    expect(broken(pe, "win32-x64-msvc")).toEqual([]);
    expect(broken({ ...pe, libraries: ["VCRUNTIME140.dll"] }, "win32-x64-msvc")).toHaveLength(1);
    expect(broken({ ...pe, libraries: ["libgcc_s_seh-1.dll"] }, "win32-x64-gnu")).toHaveLength(1);
    expect(broken(machO, "darwin-arm64")).toEqual([]);
    expect(broken({ ...machO, libraries: ["/opt/homebrew/lib/libzstd.dylib"] }, "darwin-arm64")).toHaveLength(1);
  });

  it("is for the machine whose name it has", () => {
    expect(broken(elf, "linux-arm64-gnu")).toEqual(["is for X86_64, not for arm64"]);
    expect(broken(elf, "darwin-x64")[0]).toContain("is a ELF file");
  });
});

describe("a released shim", () => {
  it("starts whatever libc the machine has", () => {
    const fixed = { ...elf, libraries: [] };
    expect(broken(fixed, "linux-x64-gnu", "shim")).toEqual([]);
    expect(broken(elf, "linux-x64-gnu", "shim")).toEqual(["is not static: asks for libc.so.6"]);
    const interpreter = "/lib64/ld-linux-x86-64.so.2";
    expect(broken({ ...fixed, interpreter }, "linux-x64-gnu", "shim")).toHaveLength(1);
  });
});
