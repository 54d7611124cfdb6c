// Text that must not break out of its line.

/** Runs of blanks and line breaks; a run is looked at once, however long it is. */
const BLANKS = /[ \t\r\n\v\f\u0085\u2028\u2029]+/g;

const LINE_BREAK = /[\r\n\v\f\u0085\u2028\u2029]/;

/** The text with every kind of line break (and the blanks around it) turned into one space. Nothing else changes. */
export function oneLine(text: string): string {
  return text.replace(BLANKS, (run) => (LINE_BREAK.test(run) ? " " : run));
}
