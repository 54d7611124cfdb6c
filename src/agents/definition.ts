/** A kind of sub-agent. */
export interface AgentDefinition {
  name: string;
  description: string;
  /** Undefined: those that its parent may have. */
  tools: string[] | undefined;
  /** Undefined: that of its parent. */
  model: string | undefined;
  /** Put after pi's own; may be empty. */
  systemPrompt: string;
  source: "built-in" | "user" | "project";
}

export const BUILT_IN_AGENTS: readonly AgentDefinition[] = [
  {
    name: "general-purpose",
    description: "Any task of several steps, with all tools",
    tools: undefined,
    model: undefined,
    systemPrompt:
      "You work on one task for another agent, which sees nothing of your work but your last message. Do the whole task; " +
      "do not ask questions. Your last message is your report: what you found or changed, with paths, and what is left.",
    source: "built-in",
  },
  {
    name: "explore",
    description: "Finds things out in files; cannot change anything or run commands",
    tools: ["read", "grep", "find", "ls"],
    model: undefined,
    systemPrompt:
      "You answer one question about files for another agent, which sees nothing of your work but your last message. " +
      "You can only read. Your last message is your report: the answer, with paths and line numbers.",
    source: "built-in",
  },
];

type Frontmatter = Record<string, unknown>;

/** The definition in a file; undefined when it lacks a name or a description. `parseYaml` throws for what is none. */
export function parseDefinition(
  text: string,
  source: AgentDefinition["source"],
  parseYaml: (yaml: string) => unknown,
): AgentDefinition | undefined {
  const match = /^\uFEFF?---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)([\s\S]*)$/.exec(text.replaceAll("\r\n", "\n"));
  if (match === null) return undefined;
  const head = readYaml(match[1] ?? "", parseYaml);
  const name = textOf(head["name"]);
  const description = textOf(head["description"]);
  if (name === undefined || description === undefined) return undefined;
  return {
    name,
    description,
    tools: toolNames(head["tools"]),
    model: textOf(head["model"]),
    systemPrompt: (match[2] ?? "").trim(),
    source,
  };
}

function readYaml(yaml: string, parseYaml: (yaml: string) => unknown): Frontmatter {
  try {
    const value = parseYaml(yaml);
    return typeof value === "object" && value !== null ? (value as Frontmatter) : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** `read, bash` or a list; pi's example takes both. */
function toolNames(value: unknown): string[] | undefined {
  const parts: unknown[] = Array.isArray(value) ? value : typeof value === "string" ? value.split(",") : [];
  const names = parts.flatMap((part) => textOf(part) ?? []);
  return names.length === 0 ? undefined : names;
}
