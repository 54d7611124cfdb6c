// What a session looks like with the extension loaded: names, texts, settings, and what other extensions see of a call.
import { describe, expect, test } from "vitest";
import { type PiOnceOptions, type Script, startPiJson } from "./harness/index.ts";
import type { OfferedTool } from "./harness/model-request.ts";
import { bash, BASH_EXTENSION } from "./played-calls.ts";

const CONFIG_FILE = "~/.pi/agent/extensions/picc-bash/config.json";
const MAX_DESCRIPTION_CHARS = 2_500;

/** One session, all of it: what the model was offered and what went to stderr. */
async function session(options: Partial<PiOnceOptions> = {}) {
  const script: Script = options.script ?? [{ text: "done" }];
  const pi = await startPiJson({ extensions: [BASH_EXTENSION], ...options, script });
  await pi.finished();
  const [request] = pi.model.requests;
  const tools = request?.tools ?? [];
  const tool = (name: string): OfferedTool => {
    const found = tools.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`no tool ${name} among ${tools.map((each) => each.name).join(", ")}`);
    return found;
  };
  return { pi, tool, names: tools.map(({ name }) => name), systemPrompt: request?.systemPrompt ?? "" };
}

const propertiesOf = (tool: OfferedTool) => Object.keys((tool.parameters as { properties: object }).properties);
const linesOf = (text: string) => text.split("\n").filter((line) => line.trim() !== "");

describe("the name", () => {
  test("bash takes the place of pi's own without a word, and TaskStop is there", async () => {
    const { pi, tool, names } = await session();
    expect(names.filter((name) => /^bash$/i.test(name))).toEqual(["bash"]);
    expect(propertiesOf(tool("bash"))).toEqual(["command", "timeout", "description", "run_in_background"]);
    expect(propertiesOf(tool("TaskStop"))).toEqual(["task_id", "shell_id"]);
    expect(pi.stderr).toBe("");
    // The result names the file, and the model reads that.
    expect(names.filter((name) => /output|kill/i.test(name))).toEqual([]);
  });

  test("Bash stands beside pi's own bash, each does its own work, and the guidelines follow the name", async () => {
    const { pi, tool, systemPrompt } = await session({
      env: { PICC_BASH_TOOL_NAME: "Bash" },
      script: [{ calls: [bash("exit 3"), { tool: "Bash", args: { command: "exit 3" } }] }, { text: "done" }],
    });
    expect(propertiesOf(tool("Bash"))).toContain("run_in_background");
    expect(propertiesOf(tool("bash"))).not.toContain("run_in_background");
    expect(systemPrompt).toContain("Use Bash with run_in_background");
    expect(systemPrompt).not.toContain("Use bash with run_in_background");
    const [own, ours] = pi.toolResults();
    expect(ours?.text).toBe("Exit code 3");
    expect(own?.text).not.toBe("Exit code 3");
    expect(tool("TaskStop").name).toBe("TaskStop");
  });

  test("config.json gives the name as well, at its own place and where PICC_BASH_CONFIG_PATH says", async () => {
    const inPlace = await session({ files: { [CONFIG_FILE]: '{ "toolName": "Bash" }' } });
    expect(inPlace.names).toContain("Bash");
    const elsewhere = await session({
      files: { [CONFIG_FILE]: '{ "toolName": "bash" }', "~/mine.json": '{ "toolName": "Bash" }' },
      env: { PICC_BASH_CONFIG_PATH: "~/mine.json" },
    });
    expect(elsewhere.names).toContain("Bash");
    expect(elsewhere.pi.stderr).toBe("");
  });

  test("the environment beats the file", async () => {
    const { names } = await session({
      files: { [CONFIG_FILE]: '{ "toolName": "Bash" }' },
      env: { PICC_BASH_TOOL_NAME: "bash" },
    });
    expect(names).not.toContain("Bash");
  });

  test("any other name costs one warning and reads bash", async () => {
    const { pi, names, tool } = await session({ env: { PICC_BASH_TOOL_NAME: "Shell" } });
    expect(names).not.toContain("Shell");
    expect(propertiesOf(tool("bash"))).toContain("run_in_background");
    expect(linesOf(pi.stderr)).toEqual([expect.stringMatching(/PICC_BASH_TOOL_NAME.*"Shell".*"bash" or "Bash"/)]);
  });

  // faults: tool-name-clash
  test("another extension's bash, loaded first, is named in one warning, and TaskStop still works", async () => {
    const other = `export default (pi) => pi.registerTool({
      name: "bash", label: "bash", description: "other", parameters: { type: "object", properties: {} },
      execute: async () => ({ content: [{ type: "text", text: "the other bash" }], details: undefined }),
    });`;
    const { pi } = await session({
      extensions: [],
      args: ["-e", "./other.mjs", "-e", new URL(`../../${BASH_EXTENSION}`, import.meta.url).pathname],
      files: { "other.mjs": other },
      script: [{ calls: [bash("true"), { tool: "TaskStop", args: { task_id: "lnothing0" } }] }, { text: "done" }],
    });
    const [first, second] = pi.toolResults();
    expect(first?.text).toBe("the other bash");
    expect(second?.text).toContain("No task found with ID: lnothing0");
    expect(linesOf(pi.stderr)).toEqual([expect.stringMatching(/pi-foreman: .*"bash".*other\.mjs/)]);
  });
});

describe("texts", () => {
  const settings: [string, Partial<PiOnceOptions>][] = [
    ["as it comes", {}],
    ["with another policy and name", { env: { PICC_BASH_ON_TIMEOUT: "background", PICC_BASH_TOOL_NAME: "Bash" } }],
    ["without background tasks", { env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "yes" } }],
    ["with sh", { env: { PICC_BASH_SHELL: "/bin/sh" } }],
    ["without notices", { env: { PICC_BASH_NOTIFY: "0" } }],
    ["without TaskStop", { args: ["--tools", "read,bash"] }],
  ];

  test.each(settings)("%s, the description is short and names only what is there", async (_name, options) => {
    const { tool, names } = await session(options);
    const own = tool(names.includes("Bash") ? "Bash" : "bash");
    expect(own.description.length).toBeLessThan(MAX_DESCRIPTION_CHARS);
    const named = own.description.match(/\b[A-Z][a-z]+[A-Z]\w*/g) ?? [];
    expect(named.filter((name) => !names.includes(name))).toEqual([]);
    if (own.description.includes("run_in_background")) expect(propertiesOf(own)).toContain("run_in_background");
    if (names.includes("TaskStop")) expect(tool("TaskStop").description.length).toBeLessThan(MAX_DESCRIPTION_CHARS);
  });

  test("the description says that nothing persists, where it runs, and that no timeout applies in the background", async () => {
    const { tool } = await session();
    const { description } = tool("bash");
    expect(description).toMatch(/working directory/);
    expect(description).toMatch(/do not carry over/);
    expect(description).toMatch(/No timeout applies/);
  });

  test("with sh it says so", async () => {
    const { tool } = await session({ env: { PICC_BASH_SHELL: "/bin/sh" } });
    expect(tool("bash").description).toMatch(/\/bin\/sh is not bash/);
  });

  test("the notice at the end of a task is promised only where it comes", async () => {
    const [told, untold] = [await session(), await session({ env: { PICC_BASH_NOTIFY: "0" } })];
    expect(told.tool("bash").description).toMatch(/You are told when the task ends/);
    expect(untold.tool("bash").description).not.toMatch(/You are told/);
  });

  test.each(["1", "true", "Yes", "on"])(
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=%s takes the parameter, its guideline and its effect away",
    async (value) => {
      const { pi, tool, systemPrompt } = await session({
        env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: value },
        script: [bash("echo here", { run_in_background: true }), { text: "done" }],
      });
      expect(propertiesOf(tool("bash"))).not.toContain("run_in_background");
      expect(systemPrompt).not.toContain("run_in_background");
      expect(pi.toolResults()).toMatchObject([{ text: "here", isError: false }]);
    },
  );

  test("bash is listed in the system prompt as pi's own is", async () => {
    const { systemPrompt } = await session();
    expect(systemPrompt).toMatch(/bash: Run shell commands/);
  });
});

describe("permission extensions", () => {
  const GATE = `import { appendFileSync } from "node:fs";
    export default (pi) => pi.on("tool_call", (event) => {
      appendFileSync("seen.jsonl", JSON.stringify({ tool: event.toolName, input: event.input }) + "\\n");
      if (event.input.command?.includes("FORBIDDEN")) return { block: true, reason: "not here" };
      if (event.input.command === "echo old") event.input.command = "echo new";
    });`;

  test.each(["bash", "Bash"])("see each call of %s exactly as it will run, block it and rewrite it", async (name) => {
    // faults: approved-text-differs
    const odd = "cat <<'EOF'\n\ttab \\ \"quote\" ${x} 你好\nEOF\n# trailing ";
    const call = (args: Record<string, unknown>) => ({ tool: name, args });
    const { pi } = await session({
      env: { PICC_BASH_TOOL_NAME: name },
      settings: { shellCommandPrefix: "prefixed=yes" },
      args: ["-e", "./gate.mjs"],
      files: { "gate.mjs": GATE },
      script: [
        {
          calls: [
            call({ command: odd }),
            call({ command: "touch FORBIDDEN" }),
            call({ command: "echo old" }),
            call({ cmd: "echo repaired" }),
            { tool: "TaskStop", args: { task_id: "lnothing0" } },
          ],
        },
        { text: "done" },
      ],
    });
    const seen = linesOf(pi.home.read("seen.jsonl")).map((line) => JSON.parse(line) as unknown);
    expect(seen).toEqual([
      { tool: name, input: { command: odd } },
      { tool: name, input: { command: "touch FORBIDDEN" } },
      { tool: name, input: { command: "echo old" } },
      { tool: name, input: { command: "echo repaired" } },
      { tool: "TaskStop", input: { task_id: "lnothing0" } },
    ]);
    const [asIs, blocked, rewritten, repaired] = pi.toolResults();
    expect(asIs?.text).toBe('\ttab \\ "quote" ${x} 你好');
    expect(blocked).toMatchObject({ isError: true, text: expect.stringContaining("not here") as string });
    expect(pi.home.exists("FORBIDDEN")).toBe(false);
    expect(rewritten?.text).toBe("new");
    expect(repaired?.text).toBe("repaired");
  });

  test("an extension that changes results cannot lose the error flag of a failure", async () => {
    const eraser = `export default (pi) => pi.on("tool_result", (event) => ({ content: event.content, isError: false }));`;
    const { pi } = await session({
      extensions: [],
      args: ["-e", "./eraser.mjs", "-e", new URL(`../../${BASH_EXTENSION}`, import.meta.url).pathname],
      files: { "eraser.mjs": eraser },
      script: [bash("exit 3"), { text: "done" }],
    });
    expect(pi.toolResults()).toMatchObject([{ text: "Exit code 3", isError: true }]);
  });
});

describe("what may be wrong around it", () => {
  test("a config.json that is no JSON costs one warning and nothing else", async () => {
    const { pi } = await session({ files: { [CONFIG_FILE]: "{ toolName: " }, script: [bash("echo ok"), { text: "" }] });
    expect(pi.toolResults()[0]?.text).toBe("ok");
    expect(linesOf(pi.stderr)).toEqual([expect.stringMatching(/config\.json is not valid JSON/)]);
  });

  test("a registry.json left by older versions is ignored", async () => {
    const old = { tasks: [{ id: "lold00000", status: "running", pid: process.pid, command: "sleep 1" }] };
    const { pi } = await session({
      files: { "../tmp/picc-bash/registry.json": JSON.stringify(old), "../tmp/picc-bash/s/registry.json": "{" },
      script: [{ tool: "TaskStop", args: { task_id: "lold00000" } }, { text: "done" }],
    });
    expect(pi.toolResults()[0]?.text).toContain("No task found with ID: lold00000");
    expect(pi.stderr).toBe("");
  });

  // faults: optional-dep-missing
  test("without its binary pi starts, keeps its own bash, and one warning says what to do", async () => {
    const { pi, names, tool } = await session({
      env: { PI_FOREMAN_NATIVE: "/no/such/folder" },
      script: [bash("echo own"), { text: "done" }],
    });
    expect(propertiesOf(tool("bash"))).not.toContain("run_in_background");
    expect(names).not.toContain("TaskStop");
    expect(pi.toolResults()[0]?.text.trim()).toBe("own");
    expect(linesOf(pi.stderr)).toEqual([expect.stringContaining("/no/such/folder")]);
  });

  // faults: files-in-project
  test("nothing is written into the project", async () => {
    const { pi } = await session({
      script: [
        { calls: [bash("echo hi"), bash("true", { run_in_background: true })] },
        bash("git init -q . && git status --porcelain && ls -A"),
        { text: "done" },
      ],
    });
    expect(pi.toolResults().at(-1)?.text).toBe(".git");
  });
});
