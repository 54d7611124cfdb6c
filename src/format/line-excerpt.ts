/** Lines of a task's output in order, with the number of those that are missing between `head` and `tail`. */
export interface LineExcerpt {
  head: string[];
  tail: string[];
  omittedLines: number;
}

export interface ExcerptLimits {
  maxBytes: number;
  maxLines: number;
}

export const EMPTY_EXCERPT: LineExcerpt = { head: [], tail: [], omittedLines: 0 };

/** All lines there were, shown or not. */
export function countLines(excerpt: LineExcerpt): number {
  return excerpt.head.length + excerpt.omittedLines + excerpt.tail.length;
}

/** One excerpt after another as one, within the limits: its start stays, its end is the newer one's. */
export function joinExcerpts(earlier: LineExcerpt, later: LineExcerpt, limits: ExcerptLimits): LineExcerpt {
  const omittedLines = earlier.omittedLines + later.omittedLines;
  if (earlier.omittedLines > 0) {
    // What lies between the two ends is missing from the result as well, shown or not.
    const tail = later.omittedLines > 0 ? later.tail : [...earlier.tail, ...later.head];
    const dropped = later.omittedLines > 0 ? earlier.tail.length + later.head.length : 0;
    return shrink({ head: earlier.head, tail, omittedLines: omittedLines + dropped }, limits);
  }
  return shrink({ head: [...earlier.head, ...later.head], tail: later.tail, omittedLines }, limits);
}

/**
 * The excerpt within the limits: half of them for its start at most, the rest for its end, so that the last line is always
 * there. One that alone is too long has been cut before.
 */
export function shrink(excerpt: LineExcerpt, limits: ExcerptLimits): LineExcerpt {
  const lines = [...excerpt.head, ...excerpt.tail];
  if (lines.length <= limits.maxLines && sizeOf(lines) <= limits.maxBytes) return excerpt;
  const hasGap = excerpt.omittedLines > 0;
  const headSource = hasGap ? excerpt.head : lines;
  const headCount = countWithin(headSource, limits.maxBytes / 2, Math.floor(limits.maxLines / 2));
  const rest = hasGap ? excerpt.tail : lines.slice(headCount);
  const headBytes = sizeOf(headSource.slice(0, headCount));
  const tailCount = countWithin([...rest].reverse(), limits.maxBytes - headBytes, limits.maxLines - headCount);
  return {
    head: headSource.slice(0, headCount),
    tail: tailCount === 0 ? [] : rest.slice(-tailCount),
    omittedLines: excerpt.omittedLines + lines.length - headCount - tailCount,
  };
}

function countWithin(lines: readonly string[], maxBytes: number, maxLines: number): number {
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > maxBytes || count >= maxLines) break;
    count++;
  }
  return count;
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}
