import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { BUILT_IN_AGENTS, parseDefinition, type AgentDefinition } from "./definition.ts";

export interface DefinitionPlaces {
  /** pi's own folder; definitions are in `agents/` below it. */
  agentFolder: string;
  /** Definitions are in the nearest `.pi/agents/` here or above … */
  cwd: string;
  /** … once the person trusts this project. */
  projectTrusted: boolean;
}

/** All kinds of agents by name. The project's replace the user's, and those the built-in ones. What cannot be read is left out. */
export async function findDefinitions(places: DefinitionPlaces): Promise<Map<string, AgentDefinition>> {
  const projectFolder = places.projectTrusted ? nearestProjectFolder(places.cwd) : undefined;
  const all = [
    ...BUILT_IN_AGENTS,
    ...(await readFolder(path.join(places.agentFolder, "agents"), "user")),
    ...(projectFolder === undefined ? [] : await readFolder(projectFolder, "project")),
  ];
  return new Map(all.map((definition) => [definition.name, definition]));
}

async function readFolder(folder: string, source: AgentDefinition["source"]): Promise<AgentDefinition[]> {
  const files = namesIn(folder).filter((name) => name.endsWith(".md"));
  if (files.length === 0) return [];
  // Only here: who has no definitions does not pay for reading YAML.
  const yaml = await import("yaml");
  return files.flatMap((name) => {
    try {
      const text = readFileSync(path.join(folder, name), "utf8");
      return parseDefinition(text, source, (head) => yaml.parse(head) as unknown) ?? [];
    } catch {
      return [];
    }
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function nearestProjectFolder(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, ".pi", "agents");
    if (isFolder(candidate)) return candidate;
    if (folder === path.dirname(folder)) return undefined;
  }
}

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}
