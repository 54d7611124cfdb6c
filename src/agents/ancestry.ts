/** Carries `Ancestry` to a sub-agent and to everything it starts. */
export const ANCESTRY_VARIABLE = "PI_FOREMAN_AGENT";

/** Where this process stands in the tree of sessions. */
export interface Ancestry {
  /** The agent task that this process is; undefined at the root. */
  taskId: string | undefined;
  /** Generations above this one. */
  depth: number;
  /** Sessions above this one, the root first. */
  sessions: string[];
}

const ROOT: Ancestry = { taskId: undefined, depth: 0, sessions: [] };

/** What the environment says; the root when it says nothing that can be read. */
export function readAncestry(env: Readonly<Record<string, string | undefined>>): Ancestry {
  try {
    const value = JSON.parse(env[ANCESTRY_VARIABLE] ?? "") as Partial<Ancestry> | null;
    if (typeof value?.taskId !== "string" || !Array.isArray(value.sessions)) return ROOT;
    const sessions = value.sessions.filter((session) => typeof session === "string");
    if (sessions.length === 0) return ROOT;
    return { taskId: value.taskId, depth: sessions.length, sessions };
  } catch {
    return ROOT;
  }
}

/** The variable for a child of the session `sessionId`, which is the agent task `taskId`. */
export function ancestryOfChild(own: Ancestry, sessionId: string, taskId: string): Record<string, string> {
  return { [ANCESTRY_VARIABLE]: JSON.stringify({ taskId, sessions: [...own.sessions, sessionId] }) };
}
