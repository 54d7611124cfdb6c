import { existsSync, readdirSync, readFileSync, realpathSync, statSync, type Stats } from "node:fs";
import path from "node:path";
import { BUILT_IN_AGENTS, parseDefinition, type AgentDefinition } from "./definition.ts";

export interface DefinitionPlaces {
  /** pi's own folder; definitions are in `agents/` below it. */
  agentFolder: string;
  /** Definitions are in the nearest `.pi/agents/` here or above, within this project … */
  cwd: string;
  /** … once the person trusts it. */
  projectTrusted: boolean;
  /** Of the person: nothing above it belongs to a project below it. */
  homeFolder: string;
}

/** All kinds of agents by name. The project's replace the user's, and those the built-in ones. What cannot be read is left out. */
export async function findDefinitions(places: DefinitionPlaces): Promise<Map<string, AgentDefinition>> {
  const projectFolder = places.projectTrusted ? nearestProjectFolder(places) : undefined;
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

/** What somebody else has put beside the project (`/tmp/.pi`) or into a folder above it is passed over. */
function nearestProjectFolder({ cwd, homeFolder }: DefinitionPlaces): string | undefined {
  const owner = statOf(cwd)?.uid;
  for (const folder of projectFolders(realPathOf(cwd), realPathOf(homeFolder))) {
    const candidate = path.join(folder, ".pi", "agents");
    const stats = statOf(candidate);
    if (stats?.isDirectory() === true && (stats.uid === owner || stats.uid === process.getuid?.())) return candidate;
  }
  return undefined;
}

/** `cwd` and what is above it up to the root of its repository or, without one, the home folder; outside of both only `cwd`. */
function projectFolders(cwd: string, homeFolder: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    folders.push(folder);
    if (folder === homeFolder || existsSync(path.join(folder, ".git"))) return folders;
    if (folder === path.dirname(folder)) return [cwd];
  }
}

function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}
