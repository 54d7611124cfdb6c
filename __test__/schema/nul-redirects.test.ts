import fc from "fast-check";
import { expect, test } from "vitest";
import { repairBashArguments } from "../../src/schema/bash.ts";
import { repairNulRedirects } from "../../src/schema/nul-redirects.ts";

// nul-file
test.each([
  ["echo x > nul; echo x 2>nul; echo x >&nul", "echo x > /dev/null; echo x 2>/dev/null; echo x >&/dev/null"],
  ["a &>NUL && b >>nul|c <nul", "a &>/dev/null && b >>/dev/null|c </dev/null"],
  ["(a 2>nul)", "(a 2>/dev/null)"],
  ["a 2>nul\nb >nul", "a 2>/dev/null\nb >/dev/null"],
  ["echo $((1<<4))\na >nul", "echo $((1<<4))\na >/dev/null"],
  ["((x = (1<<n) + 1))\na >nul\nn", "((x = (1<<n) + 1))\na >/dev/null\nn"],
  ["((a 2>nul); b >nul)", "((a 2>/dev/null); b >/dev/null)"],
  ['echo "it\'s $(a 2>nul | b "c >nul") >nul" >nul', 'echo "it\'s $(a 2>/dev/null | b "c >nul") >nul" >/dev/null'],
  ['echo "`a 2>nul` >nul"; b `c 2>nul`', 'echo "`a 2>/dev/null` >nul"; b `c 2>/dev/null`'],
  ['x="$(cat <<X\na >nul\nX\nb 2>nul)"', 'x="$(cat <<X\na >nul\nX\nb 2>/dev/null)"'],
  ["echo $(( $(cat <<X\n1 >nul\nX\n) << 1 ))\na >nul", "echo $(( $(cat <<X\n1 >nul\nX\n) << 1 ))\na >/dev/null"],
  ["cat <<'X' >nul\necho hi >nul\nX\nb >nul", "cat <<'X' >/dev/null\necho hi >nul\nX\nb >/dev/null"],
])("%j makes a file that nobody can delete", (script, repaired) => {
  expect(repairNulRedirects(script)).toBe(repaired);
});

test.each([
  "echo x > null; echo x > nul.txt; echo x > ./nul; echo nul; echo x > $nul",
  'cmd /c "dir >nul"',
  'bash -c "echo \\$(a >nul) (b >nul)"',
  "echo 'a >nul' # b >nul",
  "echo a \\> nul",
  "cat <<X\na >nul\nX",
  "cat <<-X\n\ta >nul\n\tX",
  "cat <<X\nnever >nul ends",
  'cat <<<">nul" <<< nul',
])("%j becomes something else", (script) => {
  expect(repairNulRedirects(script)).toBe(script);
});

test("a script without the word changes, or one makes the repair fail", () => {
  const pieces = [
    "nul",
    ">",
    "<<",
    "<<X",
    "\nX\n",
    "'",
    '"',
    "\\",
    "#",
    "\n",
    "$(",
    "((",
    ")",
    "`",
    " ",
    "&",
    "é",
    "-",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
      const script = parts.join("");
      // Nothing is added or lost but the one word.
      expect(repairNulRedirects(script).replaceAll("/dev/null", "nul")).toBe(script);
    }),
  );
});

test("on another system than Windows a file named nul is not written", () => {
  const command = "echo x > nul";
  expect(repairBashArguments({ command }, true, "linux")).toEqual({ command });
  expect(repairBashArguments({ command }, true, "win32")).toEqual({ command: "echo x > /dev/null" });
});
