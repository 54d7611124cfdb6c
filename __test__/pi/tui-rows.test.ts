// What a person sees of a command: what runs, under which limit, what it prints while it runs, and how it ended.
import { describe, expect, test } from "vitest";
import { BASH_EXTENSION, foreground, release, untilReleased } from "./background.ts";
import { hasTmux, startPiTui } from "./harness/index.ts";

const extensions = [BASH_EXTENSION];

/** A command that ignores TERM is ended after two seconds; its caller does not wait for that. */
const ANSWER_TO_ESCAPE_MS = 1_500;

describe.runIf(hasTmux)("the row of a command", () => {
  test("hides what it prints, or how long it runs, or tells of a limit that nobody set", async () => {
    const pi = await startPiTui({
      script: [
        foreground(`echo early; ${untilReleased("gate")}`),
        foreground("echo limited", { timeout: 120_000 }),
        foreground("echo good; echo bad >&2; exit 3", { timeout: 1_500 }),
        { text: "That is all." },
      ],
      extensions,
    });
    await pi.enter("go");
    const live = await pi.waitForText(/^ *early$[^]*Elapsed \d+s · 1 line, 6 B/m);
    expect(live).toMatch(/\$ echo early; mkfifo gate; read -r line < gate; echo "\$line"\s*$/m);
    expect(live).not.toContain("timeout");
    await release(pi, "gate", "late");
    const screen = await pi.waitForText("That is all.");
    expect(screen).toMatch(/^ *early\n *late\n\s*Took (\d+ms|\d+s)/m);
    expect(screen).toMatch(/\$ echo limited \(timeout 2m\)/);
    expect(screen).toMatch(/\$ echo good.* \(timeout 1\.5s\)\s*good\s*bad\s*Exit code 3\s*Took/);
    expect(screen).not.toContain("Elapsed");
  });

  test("keeps its end from a person who aborted it, or Escape waits for a command that ignores TERM", async () => {
    const pi = await startPiTui({
      script: [foreground("trap '' TERM; echo stubborn; while :; do sleep 600; done")],
      extensions,
    });
    await pi.enter("go");
    await pi.waitForText(/^ *stubborn$/m);
    pi.press("Escape");
    const screen = await pi.waitForText("Command was aborted before completion", ANSWER_TO_ESCAPE_MS);
    expect(screen).toMatch(/^ *stubborn$/m);
    await pi.waitForText("Operation aborted");
    expect(await pi.waitForNoProcess(10_000)).toEqual([]);
  });

  test("does not say that its time was up", async () => {
    const pi = await startPiTui({
      script: [foreground("echo begun; sleep 600", { timeout: 1_000 }), { text: "I see." }],
      extensions,
    });
    await pi.enter("go");
    const screen = await pi.waitForText("I see.");
    expect(screen).toMatch(/\(timeout 1s\)\s*begun\s*Command timed out after 1s/);
  });

  test("reads its limit as seconds once the session is drawn again", async () => {
    const pi = await startPiTui({
      script: [
        foreground("echo limited", { timeout: 150_000, description: "a limited echo" }),
        { text: "That is all." },
      ],
      extensions,
    });
    await pi.enter("go");
    await pi.waitForText("That is all.");
    await pi.enter("/reload");
    const screen = await pi.waitForText(/Reloaded/);
    expect(screen).toMatch(/\$ echo limited \(timeout 2m 30s\) a limited echo\s*limited\s*Took/);
  });

  test("shows too much, too little, or not all when it is asked to", async () => {
    const pi = await startPiTui({
      script: [foreground("for i in {1..20}; do echo row-$i-; done"), { text: "That is all." }],
      extensions,
      rows: 50,
    });
    await pi.enter("go");
    const folded = await pi.waitForText("That is all.");
    expect(folded).toMatch(
      /\.\.\. \(15 earlier lines, ctrl\+o to expand\)\s*row-16-\s*row-17-\s*row-18-\s*row-19-\s*row-20-/,
    );
    expect(folded).not.toContain("row-15-");
    pi.press("C-o");
    const unfolded = await pi.waitForText(/row-1-\s*row-2-/);
    expect(unfolded.match(/row-\d+-/g)).toHaveLength(20);
    pi.press("C-o");
    await pi.waitForNoText("row-15-");
  });
});
