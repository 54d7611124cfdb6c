// What a command printed, as a reader without a terminal should see it.

const BACKSPACE = 0x08;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const ESCAPE = 0x1b;
const BELL = 0x07;
/** `ESC [` in one character, and the end of a string sequence in one. */
const C1_CSI = 0x9b;
const C1_STRING_END = 0x9c;

/**
 * `text` without control sequences, and each line in its last state: what a `\r` or a backspace wrote over is gone.
 *
 * Every `\n` stays, so lines can be counted before and after. `\r\n` is one line end. NUL, other control characters and
 * U+FFF9–U+FFFB (which crash some width tables) are dropped. A line that ends with `\r` keeps what it showed.
 * An unterminated sequence ends with its line: hostile output cannot swallow the lines after it.
 * Linear in the length of `text`.
 */
export function cleanText(text: string): string {
  const cleaned = new Uint16Array(text.length);
  let length = 0;
  let lineStart = 0;
  let rewrite = false;
  let stepsBack = 0;
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === LINE_FEED) {
      cleaned[length++] = LINE_FEED;
      lineStart = length;
      rewrite = false;
      stepsBack = 0;
      at++;
    } else if (unit === CARRIAGE_RETURN) {
      rewrite = true;
      stepsBack = 0;
      at++;
    } else if (unit === BACKSPACE) {
      stepsBack++;
      at++;
    } else if (unit === ESCAPE || isC1Introducer(unit)) {
      const end = endOfSequence(text, at);
      if (erasesLine(text, at, end, rewrite)) length = lineStart;
      at = end;
    } else if (isDropped(unit)) {
      at++;
    } else {
      if (rewrite) length = lineStart;
      for (; stepsBack > 0 && length > lineStart; stepsBack--) {
        length--;
        if (isLowSurrogate(cleaned[length] ?? 0) && length > lineStart) length--;
      }
      rewrite = false;
      stepsBack = 0;
      cleaned[length++] = unit;
      at++;
    }
  }
  return decodeUnits(cleaned.subarray(0, length));
}

/** Index just after the control sequence that starts at `start`; never past the line it is on. */
function endOfSequence(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first !== ESCAPE) return first === C1_CSI ? endOfCsi(text, start + 1) : endOfString(text, start + 1);
  if (start + 1 >= text.length) return start + 1;
  const second = text.charCodeAt(start + 1);
  if (second === 0x5b) return endOfCsi(text, start + 2);
  // OSC, DCS, SOS, PM, APC: a string up to its terminator.
  if (second === 0x5d || second === 0x50 || second === 0x58 || second === 0x5e || second === 0x5f)
    return endOfString(text, start + 2);
  let at = start + 1;
  while (at < text.length && isBetween(text.charCodeAt(at), 0x20, 0x2f)) at++;
  return at < text.length && isBetween(text.charCodeAt(at), 0x30, 0x7e) ? at + 1 : at;
}

function endOfCsi(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBetween(text.charCodeAt(at), 0x20, 0x3f)) at++;
  return at < text.length && isBetween(text.charCodeAt(at), 0x40, 0x7e) ? at + 1 : at;
}

function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BELL || unit === C1_STRING_END) return at + 1;
    // `ESC \` ends the string; any other escape begins a sequence of its own.
    if (unit === ESCAPE) return text.charCodeAt(at + 1) === 0x5c ? at + 2 : at;
    if (unit === LINE_FEED) return at;
  }
  return text.length;
}

/** `ESC[2K` empties the line; `ESC[K` and `ESC[0K` do when the cursor stands at its start. */
function erasesLine(text: string, start: number, end: number, atLineStart: boolean): boolean {
  if (text.charCodeAt(end - 1) !== 0x4b) return false;
  const parameters = text.slice(
    text.charCodeAt(start) === ESCAPE ? start + 2 : start + 1,
    Math.min(end - 1, start + 5),
  );
  return parameters === "2" || (atLineStart && (parameters === "" || parameters === "0"));
}

function isC1Introducer(unit: number): boolean {
  return unit === C1_CSI || unit === 0x9d || unit === 0x90 || unit === 0x98 || unit === 0x9e || unit === 0x9f;
}

function isDropped(unit: number): boolean {
  return (unit < 0x20 && unit !== TAB) || isBetween(unit, 0x7f, 0x9f) || isBetween(unit, 0xfff9, 0xfffb);
}

function isLowSurrogate(unit: number): boolean {
  return isBetween(unit, 0xdc00, 0xdfff);
}

function isBetween(unit: number, low: number, high: number): boolean {
  return unit >= low && unit <= high;
}

/** Far below the number of arguments an engine takes, large enough to be quick. */
const UNITS_PER_CALL = 8192;

function decodeUnits(units: Uint16Array): string {
  const parts: string[] = [];
  for (let at = 0; at < units.length; at += UNITS_PER_CALL) {
    parts.push(String.fromCharCode(...units.subarray(at, at + UNITS_PER_CALL)));
  }
  return parts.join("");
}
