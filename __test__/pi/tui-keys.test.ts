// Ctrl+B: moves what runs to the background, and is cursor-left when nothing does.
import { describe, expect, test } from "vitest";
import { BASH_EXTENSION, foreground, release, untilReleased } from "./background.ts";
import { hasTmux, startPiTui } from "./harness/index.ts";

describe.runIf(hasTmux)("Ctrl+B", () => {
  test("leaves a command in the foreground, loses its output or its end, or no longer moves the cursor", async () => {
    const pi = await startPiTui({
      script: [
        {
          calls: [
            foreground(`echo one-up; ${untilReleased("one")}`, { description: "task one" }),
            foreground(`echo two-up; ${untilReleased("two")}`),
          ],
        },
        { text: "Both run on." },
      ],
      afterScript: { text: "I have heard of it." },
      extensions: [BASH_EXTENSION],
    });
    expect(pi.history()).not.toMatch(/conflict|Extension issues/i);
    await pi.enter("go");
    await pi.waitForText(/^ *one-up$[^]*^ *two-up$/m);
    pi.press("C-b");
    await pi.waitForText("Both run on.");
    const results = pi.toolResults();
    expect(results).toHaveLength(2);
    const files = results.map(({ text, isError, details }) => {
      const [, id, file] =
        /moved this command to the background with ID: (\w+)\. Output is being written to: (\S+)/.exec(text) ?? [];
      expect(text).toMatch(/^(one|two)-up\n/);
      expect(details).toMatchObject({ backgroundTaskId: id, interrupted: true });
      expect(isError).toBe(false);
      return file ?? "";
    });

    // Both run, but nobody waits for them: the key has its own meaning again.
    pi.type("xz");
    await pi.waitForText(/^ *xz *$/m);
    pi.press("C-b");
    pi.type("y");
    await pi.waitForText(/^ *xyz *$/m);

    await release(pi, "one", "one-done");
    await pi.waitForText(/● Background command "task one" completed \(exit code 0\)/);
    await pi.waitForText("I have heard of it.");
    await release(pi, "two", "two-done");
    await pi.waitForText(/● Background command "echo two-up.*" completed \(exit code 0\)/);
    expect(files.map((file) => pi.home.read(file))).toEqual(["one-up\none-done\n", "two-up\ntwo-done\n"]);
    // What the person was typing is still there.
    expect(pi.screen()).toMatch(/^ *xyz *$/m);
  });
});
