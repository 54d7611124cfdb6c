import path from "node:path";
import { expect, test } from "vitest";
import { ancestryOfChild, readAncestry } from "../../src/agents/ancestry.ts";
import { childArguments, childScript, type ParentFacts } from "../../src/agents/child-arguments.ts";
import { BUILT_IN_AGENTS, parseDefinition, type AgentDefinition } from "../../src/agents/definition.ts";
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
  expect(argumentsFor(["-t", "read"], { tools: ["bash"] })).toContain("--tools read --");
  expect(argumentsFor(["-t", "+web"], { tools: ["bash"] })).toContain("--tools +web");
  expect(argumentsFor([], { tools: ["read", "bash"] })).toContain("--tools read,bash");
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
