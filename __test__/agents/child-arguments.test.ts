import { parseArgs } from "@earendil-works/pi-coding-agent";
import fc from "fast-check";
import { homedir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { ancestryOfChild, readAncestry } from "../../src/agents/ancestry.ts";
import { childArguments, childScript, type ParentFacts } from "../../src/agents/child-arguments.ts";
import { BUILT_IN_AGENTS, parseDefinition, type AgentDefinition } from "../../src/agents/definition.ts";
import { isGiven, lastValue, readParentOptions } from "../../src/agents/parent-options.ts";
import { parse } from "yaml";

const GENERAL = BUILT_IN_AGENTS[0] as AgentDefinition;

function argumentsFor(
  argv: string[],
  definition: Partial<AgentDefinition> = {},
  parent: Partial<ParentFacts> = {},
): string {
  const facts = {
    argv,
    startFolder: "/start",
    model: "p/m",
    thinkingLevel: "high",
    projectTrusted: false,
    ownExtensions: [],
    ...parent,
  };
  return childArguments(facts, {
    definition: { ...GENERAL, ...definition },
    sessionId: "s1",
    systemPromptFile: undefined,
  }).join(" ");
}

test("a child is freer than its parent", () => {
  const inherited = argumentsFor([
    "-e",
    "./gate.ts",
    "-e",
    "npm:x",
    "-xt",
    "write",
    "-ne",
    "--no-mcp",
    "hello",
    "--",
    "-e",
    "z",
  ]);
  expect(inherited).toContain(
    `--extension ${path.resolve("/start/gate.ts")} --extension npm:x --exclude-tools write --no-extensions --no-mcp --no-approve`,
  );
  expect(inherited).not.toContain("z");
  expect(argumentsFor(["--tools", "read,grep"])).toContain("--tools read,grep");
  expect(argumentsFor(["-t", "read,grep"], { tools: ["read", "bash"] })).toContain("--tools read --");
  expect(argumentsFor([], { tools: ["read", "bash"] })).toContain("--tools read,bash");
  expect(argumentsFor(["-nt", "-t", "+task"])).toMatch(/ --no-tools .*--tools \+task /);
});

test.each<[string[], string[], string]>([
  [["-t", "grep"], ["read"], "--no-tools"],
  [["-t", "re*,x-y,mcp__a__*"], ["read", "x-y", "bash"], "--tools read,x-y --no-mcp"],
  [["-t", "mcp__a__*"], ["mcp__a__b", "mcp__b__c"], "--tools mcp__a__b"],
  [["-t", "read,bash", "-t", "read"], ["read", "bash"], "--tools read"],
  [["-t", "read", "--", "-t", "bash"], ["read", "bash"], "--tools read"],
  [["-t", "read"], ["*"], "--tools read"],
  [["-t", "+web,-bash"], ["read", "web", "bash"], "--tools read,web"],
  [["-t", "+web,-bash"], ["+bash"], "--tools +web,-bash"],
  [["-nt", "-t", "+task,+read"], ["read", "bash"], "--tools read"],
  [["-nbt"], ["read", "task"], "--tools task"],
  [["-nbt"], ["read"], "--no-tools"],
  [["-nbt", "-t", "+read"], ["read", "bash"], "--tools read"],
])("a parent with %j gives a child that wants %j more tools than both have", (argv, tools, expected) => {
  expect(argumentsFor(argv, { tools })).toContain(`--no-approve ${expected} --model`);
});

test("an extension of a child is not told what its parent's was", () => {
  expect(argumentsFor(["--gate", "strict", "--plan", "-p", "--level=-1=2", "hello"])).toContain(
    "--gate=strict --plan --level=-1=2 --no-approve",
  );
});

test("arguments are read otherwise than pi reads them", () => {
  const words = [
    "-t",
    "--tools",
    "-nt",
    "-e",
    "-p",
    "-n",
    "-xt",
    "--mode",
    "json",
    "--model",
    "-ne",
    "--system-prompt",
  ];
  const more = [
    "--gate",
    "--gate=x=y",
    "--level",
    "--plan",
    "---z",
    "text",
    "@file",
    "read,bash",
    "--",
    "-nbt",
    "-c",
    "constructor",
  ];
  const argument = fc.constantFrom(...words, ...more);
  fc.assert(
    fc.property(fc.array(argument, { maxLength: 8 }), (some) => {
      const argv = [...some, "end"];
      const pi = parseArgs(argv);
      const own = readParentOptions(argv);
      // With such arguments pi does not come up.
      fc.pre(pi.diagnostics.length === 0);
      expect(own.extensionFlags).toEqual(pi.unknownFlags);
      expect([isGiven(own, "--no-tools"), isGiven(own, "--no-builtin-tools")]).toEqual([
        pi.noTools === true,
        pi.noBuiltinTools === true,
      ]);
      expect(lastValue(own, "--tools")?.split(",")).toEqual(pi.tools);
      expect(lastValue(own, "--exclude-tools")?.split(",")).toEqual(pi.excludeTools);
      expect(own.options.flatMap(({ name, value }) => (name === "--extension" ? [value] : []))).toEqual(
        pi.extensions ?? [],
      );
    }),
    { numRuns: 2_000 },
  );
});

test("a child asks another model than it should", () => {
  expect(argumentsFor([])).toContain("--model p/m --thinking high");
  expect(argumentsFor([], { model: "q/n" })).toMatch(/--model q\/n$/);
});

test("an extension is loaded twice, or that of the tools not at all", () => {
  const [unified, bash] = [path.resolve("/x/unified.js"), path.resolve("/x/bash.js")];
  const once = argumentsFor(["-e", unified], {}, { ownExtensions: [unified, bash] });
  expect(once.match(/unified\.js/g)).toHaveLength(1);
  expect(once).toContain(`--extension ${bash}`);
});

test("an extension in the home folder is looked for in the folder where pi was started", () => {
  expect(argumentsFor(["-e", "~/gate.ts"])).toContain(`--extension ${path.join(homedir(), "gate.ts")}`);
});

test("a quote in a path ends the word", () => {
  expect(childScript(["/a b/node", "it's"], "/p", "/e")).toBe(`exec '/a b/node' 'it'\\''s' <'/p' 2>'/e'`);
});

test("a generation is lost on the way down, or a damaged variable is believed", () => {
  const child = readAncestry(ancestryOfChild(readAncestry({}), "root", "agent:l1"));
  expect(child).toEqual({ taskId: "agent:l1", depth: 1, sessions: ["root"] });
  expect(readAncestry(ancestryOfChild(child, "s1", "agent:l2"))).toEqual({
    taskId: "agent:l2",
    depth: 2,
    sessions: ["root", "s1"],
  });
  for (const value of ["", "{", "null", "[]", '{"taskId":1,"sessions":[]}', '{"taskId":"a","sessions":[]}']) {
    expect(readAncestry({ PI_FOREMAN_AGENT: value }).depth).toBe(0);
  }
});

test("a definition as pi's example writes it is not understood", () => {
  const read = (text: string) => parseDefinition(text, "user", (yaml) => parse(yaml) as unknown);
  expect(read("---\nname: a\ndescription: 'b: c'\ntools: read, bash\nmodel: x/y\n---\n\nYou are a.\n")).toEqual({
    name: "a",
    description: "b: c",
    tools: ["read", "bash"],
    model: "x/y",
    systemPrompt: "You are a.",
    source: "user",
  });
  expect(read("---\r\nname: a\r\ndescription: b\r\ntools: [read, 3]\r\n---")).toMatchObject({
    tools: ["read"],
    systemPrompt: "",
  });
  expect(read("---\nname: a\ndescription: b\ntools: 7\n---\nx\n---\ny")).toMatchObject({
    tools: undefined,
    systemPrompt: "x\n---\ny",
  });
  for (const text of [
    "",
    "name: a",
    "---\nname: a\n---\n",
    "---\n: : [\n---\n",
    "---\nname: [a]\ndescription: b\n---\n",
  ])
    expect(read(text)).toBeUndefined();
});
