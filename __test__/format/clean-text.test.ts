import { expect, test } from "vitest";
import { cleanText } from "../../src/format/clean-text.ts";

test.each([
  ["colours stay in the text", "\x1b[1;31mred\x1b[0m", "red"],
  ["a 256-colour or a DEC private sequence stays", "\x1b[38;5;1ma\x1b[?25lb", "ab"],
  ["a title or a link shows its address", "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink"],
  ["a device string shows", "\x1bPq#0~\x1b\\x\x1b_app\x1b\\y", "xy"],
  ["a charset switch shows its letter", "\x1b(Bok\x1b=\x1b7", "ok"],
  ["eight-bit sequences show", "\u009b31mred\u009d0;t\u009cx\u0085", "redx"],
  ["NUL, bell or DEL reaches the model", "a\0b\x07c\x7fd", "abcd"],
  ["tabs are lost", "a\tb", "a\tb"],
  ["CRLF doubles line ends", "a\r\nb\r\n", "a\nb\n"],
  ["a progress bar shows all its states", "10%\r50%\r100%\ndone", "100%\ndone"],
  ["a shorter last state keeps the rest of the longer one", "loading...\rdone\n", "done\n"],
  ["a line that waits at its start is empty", "50%\r", "50%"],
  ["an erased line shows its earlier state", "50%\r\x1b[K\n", "\n"],
  ["an erase of the whole line is ignored", "50%\x1b[2K\rok", "ok"],
  ["an erase to the end of the line loses its start", "kept\x1b[K", "kept"],
  ["overstruck letters show twice", "b\bbo\bol\bld\bd", "bold"],
  ["a spinner shows all its states", "|\b/\b-\b", "-"],
  ["a backspace cuts a character in half", "😀\bx", "x"],
  ["a backspace eats the line before", "a\n\b\bb", "a\nb"],
  ["a sequence without end swallows the lines after it", "\x1b]0;never\nnext\x1b[12", "\nnext"],
  ["characters that crash width tables stay", "a\ufff9b\ufffbc", "abc"],
  ["a lone escape at the end fails", "x\x1b", "x"],
])("%s", (_failure, text, cleaned) => {
  expect(cleanText(text)).toBe(cleaned);
});

test("150 KB of hostile output blocks the host", () => {
  const size = 150_000;
  const inputs = ["\x1b", "\x1b[", "\x1b]", "\r", "\b", "a\b", "\x1b[1;", "\r\x1b[K", "x\r", "\u009d"].map((unit) =>
    unit.repeat(Math.ceil(size / unit.length)),
  );
  inputs.push("a".repeat(size / 2) + "\bx".repeat(size / 4));
  const startedAt = performance.now();
  for (const input of inputs) cleanText(input);
  // Linear work takes some milliseconds each; quadratic work would take minutes.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
