// Whether a binary is all there. On Linux the loader maps a file that was cut short (disk full, an update that was killed)
// without a word, and the first touch of what is missing ends the process with SIGBUS. Windows and macOS refuse such a file.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Holds the header of an ELF file, or the load commands of a Mach-O file (some 2 KB in ours). */
const START_BYTES = 4096;

/** No binary is shorter than the header of an ELF file. */
const MIN_BYTES = 64;

/** Bytes that a file has, and that it has to have at least by what its own start says. */
export interface BinaryExtent {
  bytes: number;
  wantedBytes: number;
}

/** Undefined: the file cannot be read. */
export function readExtent(file: string): BinaryExtent | undefined {
  try {
    const opened = openSync(file, "r");
    try {
      const start = Buffer.alloc(START_BYTES);
      const count = readSync(opened, start, 0, START_BYTES, 0);
      return { bytes: fstatSync(opened).size, wantedBytes: wantedBytes(start.subarray(0, count)) };
    } finally {
      closeSync(opened);
    }
  } catch {
    return undefined;
  }
}

/** How long a file that starts so has to be at least. Of a kind of file that is not known, only that it is not empty. */
export function wantedBytes(start: Buffer): number {
  if (start.length < MIN_BYTES) return MIN_BYTES;
  const magic = start.readUInt32BE(0);
  // 64 bits (2), low byte first (1).
  if (magic === 0x7f454c46 && start.readUInt16BE(4) === 0x0201) return Math.max(MIN_BYTES, endOfElf(start));
  if (magic === 0xcffaedfe) return Math.max(MIN_BYTES, endOfMachO(start));
  return MIN_BYTES;
}

/** The table of sections is the last thing that a linker writes. Offsets as in elf(5). */
function endOfElf(start: Buffer): number {
  return Number(start.readBigUInt64LE(40)) + start.readUInt16LE(58) * start.readUInt16LE(60);
}

/** The end of the last segment; offsets as in <mach-o/loader.h>. */
function endOfMachO(start: Buffer): number {
  let end = 0;
  let at = 32;
  for (let left = start.readUInt32LE(16); left > 0 && at + 56 <= start.length; left--) {
    // LC_SEGMENT_64
    if (start.readUInt32LE(at) === 0x19) {
      end = Math.max(end, Number(start.readBigUInt64LE(at + 40)) + Number(start.readBigUInt64LE(at + 48)));
    }
    at += Math.max(8, start.readUInt32LE(at + 4));
  }
  return end;
}
