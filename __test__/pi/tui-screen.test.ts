// Commands, output and notices that are made to break a screen, on a screen that is narrow.
import { describe, expect, test } from "vitest";
import { background, BASH_EXTENSION, foreground } from "./background.ts";
import { hasTmux, type PiTui, startPiTui } from "./harness/index.ts";

const CONTROLS = "\u001b[2J\u001b[H\u001b]0;stolen title\u0007\u001b[31;5m\u001b[?1049h\u001bc\u009b2J\b\b\r\u0000";
const WIDE = "漢字かな交じり文の長い一行はここで折り返される👨‍👩‍👧‍👦🇩🇪é̂終";
const LONG_WORD = "w".repeat(200);

/** Each of the words is to be seen, whole; nothing has been cleared, and pi still shows what is typed. */
async function expectSound(pi: PiTui, ...words: string[]): Promise<void> {
  for (const word of words) await pi.waitForText(word);
  expect(pi.history()).toMatch(/^ *go *$[^]*above[^]*red below/m);
  pi.type("qqq");
  await pi.waitForText(/^ *qqq *$/m);
  pi.press("C-u");
  await pi.waitForNoText("qqq");
}

describe.runIf(hasTmux)("a screen of 30 columns", () => {
  test("is broken by output, by a command, by a description or by a notice", async () => {
    const output = `printf 'above\\n\\033[2J\\033[H\\033]0;stolen title\\007\\033[?1049h\\033c\\0\\b\\b%s\\n%s\\nred\\033[31m below\\n' '${WIDE}' '${LONG_WORD}'`;
    const pi = await startPiTui({
      script: [
        foreground(output),
        { text: "first" },
        background(`: '${WIDE}'; exit 4`, { description: `evil ${CONTROLS} ${WIDE} ${LONG_WORD} tail` }),
        { text: "second" },
        { text: "third" },
      ],
      afterScript: { text: "last" },
      extensions: [BASH_EXTENSION],
      columns: 30,
      rows: 60,
    });
    await pi.enter("go");
    await expectSound(pi, "first");
    expect(pi.toolResults()[0]?.text).toBe(`above\n${WIDE}\n${LONG_WORD}\nred below`);
    await pi.enter("more");
    await expectSound(pi, "second", "third", "failed with");
    for (const columns of [20, 110, 30]) {
      pi.resize(columns, 60);
      await expectSound(pi, "third");
    }
    pi.press("C-o");
    await expectSound(pi, "third");
  });

  test("is broken by a command that has control sequences in it", async () => {
    const pi = await startPiTui({
      script: [foreground(`echo shown # ${CONTROLS.replace("\0", "")}${WIDE}`), { text: "first" }],
      extensions: [BASH_EXTENSION],
      columns: 30,
      rows: 60,
    });
    await pi.enter("go");
    await pi.waitForText("first");
    expect(pi.screen()).toMatch(/go[^]*echo shown[^]*shown[^]*first/);
    pi.type("qqq");
    await pi.waitForText(/^ *qqq *$/m);
    expect(pi.toolResults()).toMatchObject([{ text: "shown", isError: false }]);
  });
});
