import { formatSize } from "./size.ts";
import type { StreamText } from "./stream-text.ts";

export interface BoundedText {
  text: string;
  /** What the text leaves out; undefined when it is whole. */
  omitted: { lines: number; bytes: number } | undefined;
}

/** Below this a marker with a long path would leave nothing to show, so it comes on top of the limit. */
const MIN_LIMIT_FOR_RESERVE_CHARS = 2000;
/** Numbers and words of the marker, with room to spare. */
const MARKER_CHARS = 80;

/**
 * The head and the tail of a stream with a marker between, at most `maxChars` long; all of it when that fits.
 *
 * Units: UTF-16 units, marker and path included. Never cut inside a character (nor between a letter and its accents),
 * at a line's end where one is near. `lines` counts the lines of which nothing is shown.
 */
export function boundOutput(stream: StreamText, maxChars: number, fullOutputPath: string): BoundedText {
  if (stream.gap === undefined && stream.head.length <= maxChars) return { text: stream.head, omitted: undefined };
  const reserve = maxChars >= MIN_LIMIT_FOR_RESERVE_CHARS ? MARKER_CHARS + fullOutputPath.length : 0;
  const budget = Math.max(0, maxChars - reserve);
  const half = Math.floor(budget / 2);
  const { head, tail, gap } = stream;
  // Without a gap the tail is the end of the same text; then both halves are always used up.
  const tailSource = gap === undefined ? head : tail;
  const headChars = gap === undefined ? half : Math.max(half, budget - tail.length);
  // At a gap the window itself may have cut the last line.
  const headEnd = headChars >= head.length ? wholeLinesEnd(head, head.length) : cutAtOrBefore(head, headChars);
  const tailChars = gap === undefined ? budget - half : budget - headEnd;
  const tailStart = Math.max(
    gap === undefined ? headEnd : 0,
    cutAtOrAfter(tailSource, Math.max(0, tailSource.length - tailChars)),
  );
  const hidden =
    gap === undefined ? [head.slice(headEnd, tailStart)] : [head.slice(headEnd), tailSource.slice(0, tailStart)];
  const newlines = hidden.reduce((sum, part) => sum + countNewlines(part), gap?.lines ?? 0);
  const omitted = {
    // The first of those newlines ends a line that is shown, if only in part.
    lines: Math.max(0, newlines - (endsLine(head, headEnd) ? 0 : 1)),
    bytes: hidden.reduce((sum, part) => sum + Buffer.byteLength(part), gap?.bytes ?? 0),
  };
  const marker = `... [${omitted.lines} lines, ${formatSize(omitted.bytes)} omitted. Full output: ${fullOutputPath}] ...`;
  const shownHead = head.slice(0, headEnd).replace(/\n$/, "");
  const shownTail = tailSource.slice(tailStart);
  return { text: [shownHead, marker, shownTail].filter((part) => part !== "").join("\n"), omitted };
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** The cut stands just after a newline, or shows nothing. */
function endsLine(text: string, end: number): boolean {
  return end === 0 || text[end - 1] === "\n";
}

/** After a newline in the second half before `limit`, else at a character's boundary. `limit` is inside the text. */
function cutAtOrBefore(text: string, limit: number): number {
  const end = wholeLinesEnd(text, limit);
  return end < limit ? end : characterBoundary(text, limit, "before");
}

/** End of the last whole line before `limit`, or `limit` itself when that is too far back. */
function wholeLinesEnd(text: string, limit: number): number {
  const lineEnd = limit <= 0 ? 0 : text.lastIndexOf("\n", limit - 1) + 1;
  return lineEnd > limit / 2 ? lineEnd : limit;
}

function cutAtOrAfter(text: string, start: number): number {
  if (start <= 0) return 0;
  const lineStart = text[start - 1] === "\n" ? start : text.indexOf("\n", start) + 1;
  return lineStart > 0 && lineStart < text.length && lineStart - start < (text.length - start) / 2
    ? lineStart
    : characterBoundary(text, start, "after");
}

/** Graphemes are short; a neighbourhood this wide finds the one that a cut would split. */
const NEIGHBOURHOOD_CHARS = 32;
let segmenter: Intl.Segmenter | undefined;

function characterBoundary(text: string, at: number, side: "before" | "after"): number {
  let from = Math.max(0, at - NEIGHBOURHOOD_CHARS);
  if (from > 0 && isLowSurrogate(text.charCodeAt(from))) from++;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const segment = segmenter.segment(text.slice(from, at + NEIGHBOURHOOD_CHARS)).containing(at - from);
  const start = segment === undefined ? at : from + segment.index;
  if (start === at || segment === undefined) return at;
  // A run of combining marks without end is no character that anybody could read.
  if (segment.segment.length >= NEIGHBOURHOOD_CHARS) return isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at;
  return side === "before" ? start : start + segment.segment.length;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
