import { cleanText } from "../../format/clean-text.ts";
import type { Snapshot, StreamWindow } from "../../native.ts";
import { guard, type RunRegistry } from "../../runs/registry.ts";
import type { Run } from "../../runs/run.ts";

/** A person cannot follow faster changes, and each costs a drawing of the row. */
export const LIVE_UPDATE_MS = 150;
/** Enough for a screen of text from each stream. */
const LIVE_TAIL_BYTES = 8 * 1024;

/** What a command has printed so far. */
export interface LiveOutput {
  /** The end of it. */
  text: string;
  totalLines: number;
  totalBytes: number;
}

/** Tells `emit` of new output, at most every 150 ms, until the returned function is called. Silence tells nothing. */
export function startLiveOutput(registry: RunRegistry, run: Run, emit: (output: LiveOutput) => void): () => void {
  let shownBytes = -1;
  const unwatch = registry.watch(run.id, (event) => {
    if (event.kind !== "snapshot") return;
    const output = readTail(event.snapshot);
    if (output.totalBytes === shownBytes) return;
    shownBytes = output.totalBytes;
    emit(output);
  });
  const timer = setInterval(() => {
    guard(() => {
      registry.addon.requestSnapshot(run.id, LIVE_TAIL_BYTES);
    });
  }, LIVE_UPDATE_MS);
  // The wait for the answer keeps Node alive, this does not have to.
  timer.unref();
  return () => {
    clearInterval(timer);
    unwatch();
  };
}

function readTail({ stdout, stderr }: Snapshot): LiveOutput {
  return {
    text: [tailText(stdout), tailText(stderr)].filter((text) => text !== "").join("\n"),
    totalLines: stdout.totalLines + stderr.totalLines,
    totalBytes: stdout.totalBytes + stderr.totalBytes,
  };
}

/** The core sends only the tail when it was asked so; an older one sends its windows, of which the end is taken. */
function tailText(window: StreamWindow): string {
  const bytes = Buffer.concat([window.head, window.tail]);
  const end = bytes.subarray(Math.max(0, bytes.length - LIVE_TAIL_BYTES));
  const text = cleanText(new TextDecoder().decode(end)).trimEnd();
  const isCut = window.totalBytes > end.length;
  return isCut ? text.slice(text.indexOf("\n") + 1) : text;
}
