// Where and in what a command runs: folder, variables, shell, and no terminal that could make it wait for a person.
import path from "node:path";
import { describe, expect, test } from "vitest";
import { startPiJson, type PiOnceOptions } from "./harness/index.ts";
import { bash, BASH_EXTENSION, inBackground, playCalls } from "./played-calls.ts";

const CONFIG_FILE = "~/.pi/agent/extensions/picc-bash/config.json";

describe("folder and variables", () => {
  const VARIABLES = "PI_SESSION_ID PI_SESSION_FILE PI_PROVIDER PI_MODEL PI_REASONING_LEVEL";
  const print = `for name in ${VARIABLES}; do echo "$name=\${!name-unset}"; done`;
  const ours = (command: string) => ({ tool: "Bash", args: { command } });
  const played = playCalls(
    [
      { own: bash(print), ours: ours(print), where: ours("pwd") },
      { leave: ours("cd /; export LEFT=1; alias x=y; f() { :; }; umask 0") },
      { after: ours('pwd; echo "${LEFT-unset}"; type f 2>&1 | head -1; umask') },
      { path: ours('echo "$PATH"'), home: ours('echo "$HOME|${GONE-unset}|$ADDED|$NUMBER"'), listing: ours("ls /") },
    ],
    {
      env: { PICC_BASH_TOOL_NAME: "Bash", PATH: `/custom:${process.env["PATH"] ?? ""}`, GONE: "still here" },
      files: {
        [CONFIG_FILE]: '{ "env": { "GONE": null, "ADDED": "a $b", "NUMBER": 7 } }',
        // faults: dotfile-alias-changes-commands, login-shell-slow
        "~/.bash_profile": "shopt -s expand_aliases; alias ls='echo BAD'; sleep 5; touch ~/was-login",
        "~/.bashrc": "shopt -s expand_aliases; alias ls='echo BAD'; touch ~/was-interactive",
      },
    },
  );
  const { result } = played;

  test("a command runs in pi's folder", () => {
    expect(result("where").text).toBe(played.pi.home.cwd);
  });

  test("nothing of a call is left for the next one", () => {
    const [folder, variable, type, umask] = result("after").text.split("\n");
    expect([folder, variable]).toEqual([played.pi.home.cwd, "unset"]);
    expect(type).toMatch(/not found/);
    expect(umask).not.toBe("0000");
  });

  test("the session's variables are those that pi's own bash sets", () => {
    expect(result("ours").text).toBe(result("own").text.trim());
    expect(result("ours").text).toMatch(/^PI_SESSION_ID=[\w-]+\nPI_SESSION_FILE=\/.+\nPI_PROVIDER=scripted\n/);
  });

  // faults: path-snapshot-wrong
  test("PATH is the one pi was started with, and what is behind it", () => {
    expect(result("path").text.startsWith(`/custom:${process.env["PATH"] ?? ""}`)).toBe(true);
    expect(result("path").text).not.toMatch(/\\:|\$PATH/);
  });

  test("env in config.json adds, sets and removes", () => {
    expect(result("home").text).toBe(`${played.pi.home.home}|unset|a $b|7`);
  });

  test("a person's start-up files are not read", () => {
    expect(result("listing").text).not.toContain("BAD");
    expect([played.pi.home.exists("~/was-login"), played.pi.home.exists("~/was-interactive")]).toEqual([false, false]);
  });
});

describe("no person to ask", () => {
  const git = (command: string) => `cd repo && ${command}`;
  const played = playCalls([
    {
      setup: bash(
        "git init -q repo && cd repo && git config user.email a@b && git config user.name n && " +
          "for i in 1 2 3 4; do git commit -q --allow-empty -m c$i; done; git rev-parse HEAD",
      ),
    },
    {
      input: bash("cat; echo rc=$?", { timeout: 20_000 }),
      deviceInput: bash("cat /dev/stdin; seq 2 | cat < /dev/stdin", { timeout: 20_000 }),
      terminal: bash("cat < /dev/tty", { timeout: 20_000 }),
      read: bash("read -p 'Sure? ' answer; echo rc=$? $answer", { timeout: 20_000 }),
      interactive: bash("bash -ic 'echo hi' 2> /dev/null", { timeout: 20_000 }),
      ttyTest: bash("[ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo none"),
    },
    {
      commit: bash(git("git commit --allow-empty"), { timeout: 20_000 }),
      credentials: bash("printf 'protocol=https\\nhost=example.invalid\\n\\n' | git credential fill", {
        timeout: 20_000,
      }),
      pager: bash(git("git log --oneline | wc -l; git --paginate log --oneline | wc -l"), { timeout: 20_000 }),
      editor: bash('"${EDITOR:-none}" file || "${VISUAL:-none}" file; echo rc=$?', { timeout: 20_000 }),
    },
    { rebase: bash(git("git rebase -i HEAD~3"), { timeout: 20_000 }) },
    { head: bash(git("git rev-parse HEAD; ls .git | grep -c rebase")) },
  ]);
  const { result } = played;

  // faults: stdin-left-open-fg, stdin-reopen-dev-stdin
  test("input is at its end, by whatever name it is opened", () => {
    expect(result("input").text).toBe("rc=0");
    expect(result("deviceInput")).toMatchObject({ text: "1\n2", isError: false });
    expect(result("read").text).toBe("rc=1");
  });

  // faults: dev-tty-grab, foreground-group-steal
  test("there is no terminal to grab", () => {
    expect(result("terminal").text).toMatch(/(No such device or address|Device not configured)\nExit code 1$/);
    expect(result("interactive").text).toBe("hi");
    expect(result("ttyTest").text).toBe("none");
  });

  // faults: editor-hang
  test("git commit without a message fails in words instead of opening an editor", () => {
    expect(result("commit").isError).toBe(true);
    expect(result("commit").text).toMatch(/editor|message/i);
    expect(result("commit").details).not.toHaveProperty("timedOut");
    expect(result("editor").text).not.toMatch(/rc=0$/);
  });

  // faults: credential-prompt-hang
  test("git does not wait for a password", () => {
    expect(result("credentials").text).toMatch(/terminal prompts disabled/);
    expect(result("credentials").details).toMatchObject({ exitCode: 128 });
  });

  // faults: fake-sequence-editor-succeeds
  test("an interactive rebase fails and changes nothing", () => {
    expect(result("rebase").isError).toBe(true);
    expect(result("rebase").details).not.toHaveProperty("timedOut");
    expect(result("head").text.split("\n")[0]).toBe(result("setup").text);
  });

  test("a pager is no place to wait", () => {
    expect(result("pager").text.replace(/ /g, "")).toBe("4\n4");
  });
});

/** One call of `command` with these settings, and what went to stderr. */
async function callWith(command: string, options: Omit<Partial<PiOnceOptions>, "script"> = {}) {
  const pi = await startPiJson({
    extensions: [BASH_EXTENSION],
    ...options,
    script: [bash(command), bash("echo next"), { text: "done" }],
  });
  await pi.finished();
  const [first, next] = pi.toolResults();
  return {
    pi,
    text: first?.text ?? "",
    details: (first?.details ?? {}) as Record<string, unknown>,
    next: next?.text ?? "",
    warnings: pi.stderr.split("\n").filter((line) => line !== ""),
  };
}

describe("the shell", () => {
  const whichShell = 'if [ -n "$BASH_VERSION" ]; then echo bash; else echo other; fi';

  test("pi's shellCommandPrefix comes before each command", async () => {
    const settings = { shellCommandPrefix: "greet() { echo hello $1; }" };
    const { text } = await callWith("greet you; echo $LINENO", { settings });
    expect(text).toMatch(/^hello you\n/);
  });

  test("pi's shellPath is taken, and details name a shell that is not bash", async () => {
    const { text, details, warnings } = await callWith("echo ran; echo $0", { settings: { shellPath: "/bin/sh" } });
    expect(text).toMatch(/^ran\n.*sh$/);
    expect(details["shell"]).toBe("/bin/sh");
    expect(warnings).toEqual([]);
  });

  test("pi's shellPath may begin with ~, as pi takes it", async () => {
    // From the home folder up to the root.
    const shellPath = `~/${"../".repeat(20)}bin/sh`;
    const { details, warnings } = await callWith("true", { settings: { shellPath } });
    expect([details["shell"], warnings]).toEqual(["/bin/sh", []]);
  });

  test("shell in config.json comes before shellPath, and PICC_BASH_SHELL before both", async () => {
    const settings = { shellPath: "/bin/sh" };
    const files = { [CONFIG_FILE]: '{ "shell": "/bin/bash" }' };
    expect((await callWith(whichShell, { settings, files })).text).toBe("bash");
    const env = { PICC_BASH_SHELL: "/bin/sh" };
    expect((await callWith("true", { settings: { shellPath: "/bin/bash" }, files, env })).details["shell"]).toBe(
      "/bin/sh",
    );
  });

  // faults: spawn-error-crashes-host
  test("one that is missing is named in one warning, and the next in line is taken", async () => {
    const { text, next, warnings } = await callWith(whichShell, { settings: { shellPath: "/no/such/bash" } });
    expect([text, next]).toEqual(["bash", "next"]);
    expect(warnings).toEqual([expect.stringMatching(/^pi-foreman: .*\/no\/such\/bash/)]);
  });

  test("one that is no POSIX shell is refused by name, and the next in line is taken", async () => {
    const { text, warnings } = await callWith(whichShell, { env: { PICC_BASH_SHELL: "/usr/bin/fish" } });
    expect(text).toBe("bash");
    expect(warnings).toEqual([expect.stringMatching(/^pi-foreman: .*fish/)]);
  });
});

describe("a working folder that is gone", () => {
  const played = playCalls([
    { remove: bash('rm -rf "$PWD"') },
    { gone: bash("echo never"), goneAsWell: bash("touch never"), goneBackground: inBackground("echo never") },
    { elsewhere: bash("pwd; cd / && pwd; exit 3"), elsewhereBackground: inBackground("true") },
    (so) => ({ made: bash(`mkdir ${so.pi.home.cwd}`) }),
    { back: bash("pwd") },
    { removeAnother: bash("mkdir w; cd w; rm -rf ../w") },
    { after: bash("pwd") },
    { removeAgain: bash('rm -rf "$PWD"') },
    { goneAgain: bash("echo never") },
  ]);
  const { result } = played;
  const above = () => path.dirname(played.pi.home.cwd);

  // faults: enoent-blames-shell, start-dir-deleted
  test("is an error that names it and what comes next, in each call of the turn that meets it first, and no shell is blamed", () => {
    for (const name of ["gone", "goneAsWell", "goneBackground", "goneAgain"]) {
      const { text, isError } = result(name);
      expect(isError).toBe(true);
      expect(text).toContain(`working directory does not exist: ${played.pi.home.cwd}`);
      expect(text).toContain(`Until it is there again, the next commands run in ${above()}`);
      expect(text).not.toMatch(/ENOENT|spawn/);
    }
  });

  // faults: cwd-deleted-bricks-tool
  test("and the next call works, says where it ran, and can make the folder again", () => {
    const note = `The working directory ${played.pi.home.cwd} does not exist; the command ran in ${above()}`;
    expect(result("elsewhere").text).toBe(`${above()}\n/\nExit code 3\n${note}`);
    expect(result("elsewhereBackground").text).toMatch(/^Command running in background with ID: /);
    expect(result("made").text).toBe(`(no output)\n${note}`);
    expect(result("back").text).toBe(played.pi.home.cwd);
    expect(result("after").text).toBe(played.pi.home.cwd);
  });
});
