import { cleanText } from "./clean-text.ts";

/** What was kept of a stream: its first bytes, its last bytes, and how much there was in all. */
export interface StreamCapture {
  /** First bytes; the whole stream when `tail` is empty and `totalBytes` says so. */
  head: Uint8Array;
  /** Last bytes, never overlapping `head`. */
  tail: Uint8Array;
  totalBytes: number;
  /** Newlines in all of it. */
  totalLines: number;
}

/** A stream as clean text; without a gap everything is in `head`. */
export interface StreamText {
  head: string;
  tail: string;
  /** Bytes and newlines between the two that nobody kept. */
  gap: { bytes: number; lines: number } | undefined;
  totalBytes: number;
  totalLines: number;
}

/** A first line of the tail that is longer than this is kept although its start is missing. */
const MAX_DROPPED_FRAGMENT_CHARS = 4096;

/**
 * Decodes and cleans what was kept of a stream. Invalid UTF-8 costs replacement characters; a character or a line that
 * the window cut in two at the gap costs nothing but itself.
 */
export function readStream(capture: StreamCapture): StreamText {
  const { totalBytes, totalLines } = capture;
  const gapBytes = totalBytes - capture.head.length - capture.tail.length;
  if (gapBytes <= 0) {
    return { head: cleanText(decode([capture.head, capture.tail])), tail: "", gap: undefined, totalBytes, totalLines };
  }
  const headBytes = capture.head.subarray(0, wholeCharactersEnd(capture.head));
  const tailBytes = capture.tail.subarray(wholeCharactersStart(capture.tail));
  const rawTail = decode([tailBytes]);
  const fragmentEnd = rawTail.indexOf("\n") + 1;
  const dropped = fragmentEnd > 0 && fragmentEnd <= MAX_DROPPED_FRAGMENT_CHARS ? rawTail.slice(0, fragmentEnd) : "";
  const gapLines = totalLines - countNewlines(capture.head) - countNewlines(capture.tail) + (dropped === "" ? 0 : 1);
  return {
    head: cleanText(decode([headBytes])),
    tail: cleanText(rawTail.slice(dropped.length)),
    gap: { bytes: gapBytes + Buffer.byteLength(dropped), lines: Math.max(0, gapLines) },
    totalBytes,
    totalLines,
  };
}

function decode(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8");
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}

function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) count++;
  return count;
}

/** End of the last whole UTF-8 character: up to three bytes of a cut one are left out. */
function wholeCharactersEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function wholeCharactersStart(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
