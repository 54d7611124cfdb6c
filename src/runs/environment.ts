import path from "node:path";
import { agentFolder } from "../config.ts";

/** What pi's own bash tells a command about the session it runs in. */
export interface SessionFacts {
  sessionId: string;
  sessionFile?: string;
  provider?: string;
  model?: string;
  reasoningLevel?: string;
}

/** Laid over the environment of this process; `null` removes a name. */
export type EnvironmentChanges = Record<string, string | null>;

/**
 * The changes for one command: the session's facts, pi's folder of tools, then the user's own. What keeps programs from
 * waiting for a person is the core's business; it lays all of this over its own.
 */
export function environmentChanges(
  facts: SessionFacts | undefined,
  overrides: EnvironmentChanges,
  host: Readonly<Record<string, string | undefined>> = process.env,
): EnvironmentChanges {
  return { ...sessionVariables(facts), ...searchPath(host), ...overrides };
}

/** pi removes what an outer pi has set before it sets its own. */
function sessionVariables(facts: SessionFacts | undefined): EnvironmentChanges {
  return {
    PI_SESSION_ID: facts?.sessionId ?? null,
    PI_SESSION_FILE: facts?.sessionFile ?? null,
    PI_PROVIDER: facts?.provider ?? null,
    PI_MODEL: facts?.model ?? null,
    PI_REASONING_LEVEL: facts?.reasoningLevel ?? null,
  };
}

/** pi keeps fd and rg in its own folder. Last on the path, so that what the user installed comes first. */
function searchPath(host: Readonly<Record<string, string | undefined>>): EnvironmentChanges {
  const name = Object.keys(host).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  const current = host[name] ?? "";
  const tools = path.join(agentFolder(host), "bin");
  if (current.split(path.delimiter).includes(tools)) return {};
  // An empty PATH is left alone: a list of only our folder would hide the system's default.
  return current === "" ? {} : { [name]: `${current}${path.delimiter}${tools}` };
}
