// The command reaches the shell byte for byte: what the model wrote is what runs.
import { describe, expect, test } from "vitest";
import { bash, inBackground, playCalls } from "./played-calls.ts";
import { FAILURE_BOUND_MS, lookUntil } from "./harness/bound.ts";
import { canSeeProcesses, processesWithArgument, waitForNone } from "./harness/processes.ts";

const GLOB_BODY = `${"*".repeat(63)}\n`.repeat(160);

/** An argument that no other process of this machine has. */
const TEE_LOG = `tee-${process.pid}.log`;

describe("quoting", () => {
  const { result } = playCalls([
    {
      long: bash(`: ${"x".repeat(140_000)}`),
      longArgument: bash(`printf %s '${"y".repeat(100_000)}' | wc -c`),
      globs: bash(`cat > globs <<'EOF'\n${GLOB_BODY}EOF\nwc -c < globs; cksum < globs; cat globs | head -1`),
      backslashes: bash("printf '%s' '\\\\\\\\' | wc -c"),
      heredoc: bash("cat <<'EOF'\nbody\nEOF"),
      openHeredoc: bash("cat <<'EOF'\nbody"),
      heredocText: bash("cat <<'E'\n${index + 1}\nE"),
    },
    {
      escapedAmpersand: bash("printf foo\\&"),
      quotedAmpersand: bash("echo 'a &'"),
      trailingBackslash: bash("echo hi \\"),
      continuation: bash("printf '<%s>' a \\\n b"),
      carriageReturns: bash("echo one\r\necho two"),
      comment: bash("echo hi # and no more"),
      exclamation: bash('echo "wow!!" !x'),
      dollars: bash(`echo '$HOME' "\${NONE-none}" $'\\x41' \`echo back\``),
    },
    {
      unicode: bash("echo 'größe 你好 👩‍👧 e\u0301'"),
      bashisms: bash("[[ a == a ]] && echo ok; cat <(echo y); a=(1 2 3); echo ${#a[@]}"),
      errexit: bash("set -e; echo before; false; echo never"),
      syntax: bash("echo fine\nif then"),
      noSuchCommand: bash("no-such-program-anywhere"),
      nul: bash("echo a\0b"),
      manyLines: bash(Array.from({ length: 3000 }, (_, index) => `x${index}=${index}`).join("\n") + "\necho $x2999"),
      leadingDash: bash("-n; echo $?"),
    },
    {
      procsub: bash(`exec > >(tee -a ${TEE_LOG}) 2>&1; echo hi`),
      ownText: bash("pkill -f 'NEVER-IN-AN-ARGUMENT-7215' ; echo alive"),
    },
    { files: bash("ls -A") },
  ]);

  // faults: argv-128k-linux
  test("a command longer than one argument may be runs", () => {
    expect(result("long")).toMatchObject({ text: "(no output)", isError: false });
    expect(result("longArgument").text.trim()).toBe("100000");
  });

  // faults: argv-8186-msys
  test("ten kilobytes of globs in a heredoc are written as they are, and backslashes are not halved", () => {
    const [size, , first] = result("globs").text.split("\n");
    expect(size?.trim()).toBe(String(GLOB_BODY.length));
    expect(first).toBe("*".repeat(63));
    expect(result("backslashes").text.trim()).toBe("4");
  });

  // faults: heredoc-terminator-glued
  test("a heredoc's end mark at the very end is one, and a missing one only costs the shell's own warning", () => {
    expect(result("heredoc").text).toBe("body");
    expect(result("openHeredoc").text).toMatch(/^body\n.*here-document/);
  });

  // faults: template-text-in-heredoc
  test("template text in a quoted heredoc is no substitution", () => {
    expect(result("heredocText").text).toBe("${index + 1}");
  });

  // faults: escaped-ampersand
  test("an ampersand at the end that is escaped or quoted is text", () => {
    expect(result("escapedAmpersand").text).toBe("foo&");
    expect(result("quotedAmpersand").text).toBe("a &");
  });

  // faults: trailing-backslash
  test("a backslash at the end eats nothing, one before a newline joins the lines", () => {
    expect(result("trailingBackslash")).toMatchObject({ text: "hi", isError: false });
    expect(result("continuation").text).toBe("<a><b>");
  });

  test("line ends of Windows, comments, exclamation marks and dollars mean what they mean to bash", () => {
    expect(result("carriageReturns").text).toBe("one\ntwo");
    expect(result("comment").text).toBe("hi");
    expect(result("exclamation").text).toBe("wow!! !x");
    expect(result("dollars").text).toBe("$HOME none A back");
  });

  test("text in any script comes out as it went in", () => {
    expect(result("unicode").text).toBe("größe 你好 👩‍👧 e\u0301");
  });

  // faults: sh-is-not-bash
  test("it is bash: double brackets, process substitution and arrays work", () => {
    expect(result("bashisms").text).toBe("ok\ny\n3");
  });

  test("set -e ends the command, not the tool", () => {
    expect(result("errexit").text).toBe("before\nExit code 1");
  });

  test("a syntax error names the model's own line and no file of ours", () => {
    const { text } = result("syntax");
    expect(text).toMatch(/^bash: line 2: syntax error/m);
    expect(text).toMatch(/Exit code 2$/);
    expect(text).not.toMatch(/\/tmp|\/dev\/fd|foreman/);
  });

  test("an unknown program is 127 with the shell's own words", () => {
    expect(result("noSuchCommand").text).toMatch(/no-such-program-anywhere: command not found\nExit code 127$/);
  });

  test("a NUL, which no shell can take, is refused in words", () => {
    expect(result("nul").isError).toBe(true);
    expect(result("nul").text).toMatch(/NUL/);
  });

  test("thousands of lines and a word that looks like an option are only a script", () => {
    expect(result("manyLines").text).toBe("2999");
    expect(result("leadingDash").text).toMatch(/-n: command not found\n127$|^127\n.*-n: command not found/s);
  });

  // faults: procsub-never-eof
  test("output through a process substitution comes, the call returns and nothing stays", async () => {
    expect(result("procsub").isError).toBe(false);
    // bash does not wait for tee: on a loaded machine it may still be ending when the answer is given.
    expect(result("procsub").text).toMatch(/^hi(?:\nProcesses started by this command are still running.*)?$/);
    if (canSeeProcesses) expect(await waitForNone(() => processesWithArgument(TEE_LOG), FAILURE_BOUND_MS)).toEqual([]);
  });

  test("killing by the text of the command does not hit the command's own shell", () => {
    expect(result("ownText").text).toBe("alive");
  });

  test("no file of ours appears in the working folder", () => {
    expect(result("files").text.split("\n").sort()).toEqual(["globs", TEE_LOG]);
  });
});

describe("names", () => {
  const descriptions = ["PR Checks 978", "../../x", "a'b", "$(touch pwned)", "--help", "x\ny"];
  const played = playCalls([
    Object.fromEntries(descriptions.map((description) => [description, inBackground("echo out", { description })])),
  ]);

  // faults: name-breaks-wrapper
  test("a description is never a path or a word of the shell", async () => {
    for (const description of descriptions) {
      const { text } = played.result(description);
      const file = /Output is being written to: (.+)$/.exec(text)?.[1] ?? "";
      expect(file.startsWith(`${played.pi.home.tmp}/picc-bash/`)).toBe(true);
      expect(file).not.toContain("..");
      const content = () => (played.pi.home.read(file) === "out\n" ? true : undefined);
      expect(await lookUntil(content, FAILURE_BOUND_MS)).toBe(true);
    }
    expect(played.pi.home.exists("pwned")).toBe(false);
  });
});
