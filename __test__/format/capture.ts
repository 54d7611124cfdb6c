import type { StreamCapture } from "../../src/format/stream-text.ts";

/** What the core keeps of `content`: its first and last `windowBytes`. */
export function capture(content: string | Uint8Array, windowBytes = 64 * 1024): StreamCapture {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const head = bytes.subarray(0, windowBytes);
  const tail = bytes.subarray(Math.max(head.length, bytes.length - windowBytes));
  return {
    head,
    tail,
    totalBytes: bytes.length,
    totalLines: bytes.reduce((sum, byte) => sum + (byte === 0x0a ? 1 : 0), 0),
  };
}
