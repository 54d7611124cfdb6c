import path from "node:path";
import type { AgentDefinition } from "./definition.ts";

/** What a sub-agent takes over from its parent. */
export interface ParentFacts {
  /** The parent's own arguments, after the script: what was given for one run holds for its children. */
  argv: readonly string[];
  /** Where the parent was started; relative paths in `argv` are meant from here. */
  startFolder: string;
  /** `provider/id`. */
  model: string | undefined;
  thinkingLevel: string | undefined;
  projectTrusted: boolean;
  /** Files of the extensions that give the child these tools. */
  ownExtensions: readonly string[];
}

export interface ChildFacts {
  definition: AgentDefinition;
  sessionId: string;
  /** Undefined: the definition has no prompt. */
  systemPromptFile: string | undefined;
}

/** Options that restrict or extend a pi, and whether a value follows. A child without them could do what its parent may not. */
const INHERITED: Readonly<Record<string, { name: string; value: "none" | "text" | "path" }>> = {
  "--extension": { name: "--extension", value: "path" },
  "-e": { name: "--extension", value: "path" },
  "--no-extensions": { name: "--no-extensions", value: "none" },
  "-ne": { name: "--no-extensions", value: "none" },
  "--exclude-tools": { name: "--exclude-tools", value: "text" },
  "-xt": { name: "--exclude-tools", value: "text" },
  "--no-builtin-tools": { name: "--no-builtin-tools", value: "none" },
  "-nbt": { name: "--no-builtin-tools", value: "none" },
  "--no-mcp": { name: "--no-mcp", value: "none" },
  "--skill": { name: "--skill", value: "path" },
  "--no-skills": { name: "--no-skills", value: "none" },
  "-ns": { name: "--no-skills", value: "none" },
  "--no-context-files": { name: "--no-context-files", value: "none" },
  "-nc": { name: "--no-context-files", value: "none" },
  "--offline": { name: "--offline", value: "none" },
  "--api-key": { name: "--api-key", value: "text" },
};

/** Arguments of a child pi that answers the prompt on its standard input and tells of its work in JSON. */
export function childArguments(parent: ParentFacts, child: ChildFacts): string[] {
  const { definition } = child;
  const inherited = inheritedArguments(parent);
  const tools = allowedTools(parent.argv, definition.tools);
  return [
    ...["--mode", "json", "--print", "--no-session", "--session-id", child.sessionId],
    ...inherited,
    ...parent.ownExtensions.flatMap((file) => (inherited.includes(file) ? [] : ["--extension", file])),
    parent.projectTrusted ? "--approve" : "--no-approve",
    ...(tools === undefined ? [] : ["--tools", tools]),
    ...modelArguments(parent, definition),
    ...(child.systemPromptFile === undefined ? [] : ["--append-system-prompt", child.systemPromptFile]),
  ];
}

function inheritedArguments({ argv, startFolder }: ParentFacts): string[] {
  const inherited: string[] = [];
  for (let at = 0; at < argv.length && argv[at] !== "--"; at++) {
    const option = INHERITED[argv[at] ?? ""];
    if (option === undefined) continue;
    inherited.push(option.name);
    if (option.value === "none") continue;
    const value = argv[++at] ?? "";
    inherited.push(option.value === "path" ? absolutePath(value, startFolder) : value);
  }
  return inherited;
}

/** A package (`npm:x`, `builtin:x`) is no path. */
function absolutePath(value: string, startFolder: string): string {
  return /^[a-z]{2,}:/i.test(value) ? value : path.resolve(startFolder, value);
}

function modelArguments(parent: ParentFacts, definition: AgentDefinition): string[] {
  if (definition.model !== undefined) return ["--model", definition.model];
  return [
    ...(parent.model === undefined ? [] : ["--model", parent.model]),
    ...(parent.thinkingLevel === undefined ? [] : ["--thinking", parent.thinkingLevel]),
  ];
}

/** A definition may take tools away from what the parent was limited to, and add none. */
function allowedTools(argv: readonly string[], wanted: readonly string[] | undefined): string | undefined {
  const at = argv.findLastIndex((argument) => argument === "--tools" || argument === "-t");
  const limit = at < 0 ? undefined : argv[at + 1];
  if (limit === undefined || wanted === undefined) return limit ?? wanted?.join(",");
  const names = limit.split(",").map((name) => name.trim());
  // Patterns and +name/-name are pi's to understand; then the parent's limit is all that can be said.
  if (names.some((name) => !/^\w+$/.test(name))) return limit;
  const both = wanted.filter((name) => names.includes(name));
  // An empty list would mean all of them.
  return both.length === 0 ? "read" : both.join(",");
}

/** The script that becomes this program: nothing of a shell is left once it runs. */
export function childScript(program: readonly string[], promptFile: string, errorFile: string): string {
  const words = program.map(quote).join(" ");
  return `exec ${words} <${quote(promptFile)} 2>${quote(errorFile)}`;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
