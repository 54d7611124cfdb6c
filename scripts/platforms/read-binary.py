"""Prints as JSON what each binary named on the command line asks of the system that loads it."""

import json
import sys

import lief


def versions(binary):
    """Names such as GLIBC_2.17 that an ELF file needs of its libraries."""
    if not isinstance(binary, lief.ELF.Binary):
        return []
    return sorted({aux.name for need in binary.symbols_version_requirement for aux in need.get_auxiliary_symbols()})


def libraries(binary):
    names = [library if isinstance(library, str) else library.name for library in binary.libraries]
    # A Mach-O library names itself first.
    return [name for name in names if not (isinstance(binary, lief.MachO.Binary) and name.endswith("/libforeman_napi.dylib"))]


def facts(path):
    binary = lief.parse(path)
    if binary is None:
        sys.exit(f"{path} is no ELF, PE or Mach-O file")
    machine = binary.header.cpu_type if isinstance(binary, lief.MachO.Binary) else (
        binary.header.machine_type if isinstance(binary, lief.ELF.Binary) else binary.header.machine)
    return {
        "format": type(binary).__module__.split(".")[-1],
        "machine": str(machine).split(".")[-1],
        "interpreter": getattr(binary, "interpreter", "") or None,
        "libraries": libraries(binary),
        "versions": versions(binary),
    }


print(json.dumps([facts(path) for path in sys.argv[1:]]))
