import path from "node:path";
import { expandTilde } from "../config.ts";
import { toolArguments } from "./child-tools.ts";
import type { AgentDefinition } from "./definition.ts";
import { readParentOptions, type ParentOptions } from "./parent-options.ts";

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

/** Options that restrict or extend a pi, and what follows them. A child without them could do what its parent may not. */
const INHERITED: Readonly<Record<string, "none" | "text" | "path">> = {
  "--extension": "path",
  "--no-extensions": "none",
  "--exclude-tools": "text",
  "--no-tools": "none",
  "--no-builtin-tools": "none",
  "--no-mcp": "none",
  "--skill": "path",
  "--no-skills": "none",
  "--no-context-files": "none",
  "--offline": "none",
  "--api-key": "text",
};

/** Arguments of a child pi that answers the prompt on its standard input and tells of its work in JSON. */
export function childArguments(parent: ParentFacts, child: ChildFacts): string[] {
  const { definition } = child;
  const given = readParentOptions(parent.argv);
  const inherited = inheritedArguments(given, parent.startFolder);
  return [
    ...["--mode", "json", "--print", "--no-session", "--session-id", child.sessionId],
    ...flagArguments(given),
    ...inherited,
    ...parent.ownExtensions.flatMap((file) => (inherited.includes(file) ? [] : ["--extension", file])),
    parent.projectTrusted ? "--approve" : "--no-approve",
    ...toolArguments(given, definition.tools),
    ...modelArguments(parent, definition),
    ...(child.systemPromptFile === undefined ? [] : ["--append-system-prompt", child.systemPromptFile]),
  ];
}

/** An extension without its flags could let through what they forbid. The next argument starts with `-`, so it is no value. */
function flagArguments({ extensionFlags }: ParentOptions): string[] {
  return Array.from(extensionFlags, ([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
}

function inheritedArguments({ options }: ParentOptions, startFolder: string): string[] {
  return options.flatMap(({ name, value = "" }) => {
    const follows = INHERITED[name];
    if (follows === undefined) return [];
    if (follows === "none") return [name];
    return [name, follows === "path" ? absolutePath(value, startFolder) : value];
  });
}

/** A package (`npm:x`, `builtin:x`) is no path. A quoted `~` is one that the shell has left to pi. */
function absolutePath(value: string, startFolder: string): string {
  return /^[a-z]{2,}:/i.test(value) ? value : path.resolve(startFolder, expandTilde(value));
}

function modelArguments(parent: ParentFacts, definition: AgentDefinition): string[] {
  if (definition.model !== undefined) return ["--model", definition.model];
  return [
    ...(parent.model === undefined ? [] : ["--model", parent.model]),
    ...(parent.thinkingLevel === undefined ? [] : ["--thinking", parent.thinkingLevel]),
  ];
}

/** The script that becomes this program: nothing of a shell is left once it runs. */
export function childScript(program: readonly string[], promptFile: string, errorFile: string): string {
  const words = program.map(quote).join(" ");
  return `exec ${words} <${quote(promptFile)} 2>${quote(errorFile)}`;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
