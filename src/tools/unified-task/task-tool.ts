import type { Config } from "../../config.ts";
import type { ShellChoice } from "../../native.ts";
import type { AgentDefinition } from "../../agents/definition.ts";
import type { UnifiedSession } from "../../unified/session.ts";
import type { CallFailures } from "../call-failures.ts";

/** What the four tools need besides their arguments. */
export interface UnifiedTool {
  config: Config;
  failures: CallFailures;
  /** The session that is open at that moment. Throws when none is. */
  session(): UnifiedSession;
}

/** What the tool `task` needs besides. */
export interface TaskTool extends UnifiedTool {
  shell(): ShellChoice;
  /** Kinds of agents, looked for anew at each call. */
  definitions(): Promise<ReadonlyMap<string, AgentDefinition>>;
  /** Files of the extensions that a child needs to have the same tools. */
  ownExtensions(): string[];
}
