// Text that must not break out of its line.

/** The text with every kind of line break (and the blanks around it) turned into one space. Nothing else changes. */
export function oneLine(text: string): string {
  return text.replace(/[ \t]*[\r\n\v\f\u0085\u2028\u2029]+[ \t]*/g, " ");
}
