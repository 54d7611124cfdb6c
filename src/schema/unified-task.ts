import { Boolean, Enum, Number, Object, Optional, String, type TSchema } from "typebox";

/** One flat object: some providers refuse unions. Which fields belong together is checked by `refineTask`. */
export function taskSchema(agentTypes: readonly string[]): TSchema {
  return Object(
    {
      kind: Optional(Enum(["agent", "bash"], { description: '"agent" (default) or "bash"' })),
      subagent_type: Optional(String({ description: `agent: required, one of ${agentTypes.join(", ")}` })),
      prompt: Optional(
        String({ description: "agent: required; all it needs to know, it sees nothing of this conversation" }),
      ),
      title: Optional(String({ description: "agent: required; a few words, shown to the user" })),
      script: Optional(String({ description: "bash: required; the command to run" })),
      timeout_secs: Optional(
        Number({ description: "bash: required; the command is stopped after so many seconds, in the background too" }),
      ),
      display_name: Optional(String({ description: "bash: required; a few words, shown to the user" })),
      run_in_background: Optional(
        Boolean({ description: "Return at once with the taskId; task_await gives the result. Default false" }),
      ),
    },
    { additionalProperties: false },
  );
}

export type TaskRequest =
  | { kind: "agent"; subagentType: string; prompt: string; title: string; background: boolean }
  | { kind: "bash"; script: string; timeoutSecs: number; displayName: string; background: boolean };

type Refined = { ok: true; request: TaskRequest } | { ok: false; issues: string[] };

const AGENT_FIELDS = ["subagent_type", "prompt", "title"] as const;
const BASH_FIELDS = ["script", "timeout_secs", "display_name"] as const;
const FIELDS: ReadonlySet<string> = new Set(["kind", ...AGENT_FIELDS, ...BASH_FIELDS, "run_in_background"]);

/** False for what is left to the schema to refuse; typed so that it can be passed on as it is. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The arguments without what is null: some models write it for "not given". Everything else is left to the schema. */
export function dropNulls(raw: unknown): Record<string, unknown> {
  if (!isObject(raw)) return raw as Record<string, unknown>;
  return globalThis.Object.fromEntries(
    globalThis.Object.entries(raw).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** What is to be started, or one line for each field that is wrong. */
export function refineTask(args: Readonly<Record<string, unknown>>): Refined {
  const kind = args["kind"] ?? "agent";
  if (kind !== "agent" && kind !== "bash") return { ok: false, issues: ['kind: expected "agent" or "bash"'] };
  const [wanted, forbidden] = kind === "agent" ? [AGENT_FIELDS, BASH_FIELDS] : [BASH_FIELDS, AGENT_FIELDS];
  const issues = [
    ...globalThis.Object.keys(args).flatMap((name) => (FIELDS.has(name) ? [] : [`${name}: unknown field`])),
    ...wanted.flatMap((name) => issueOf(name, args[name], kind)),
    ...forbidden.flatMap((name) =>
      args[name] === undefined || args[name] === null ? [] : [`${name}: not allowed for kind "${kind}"`],
    ),
    ...(["boolean", "undefined"].includes(typeof (args["run_in_background"] ?? undefined))
      ? []
      : ["run_in_background: expected true or false"]),
  ];
  if (issues.length > 0) return { ok: false, issues };
  const background = args["run_in_background"] === true;
  const text = (name: string): string => globalThis.String(args[name]);
  return {
    ok: true,
    request:
      kind === "agent"
        ? { kind, subagentType: text("subagent_type").trim(), prompt: text("prompt"), title: text("title"), background }
        : {
            kind,
            script: text("script"),
            timeoutSecs: args["timeout_secs"] as number,
            displayName: text("display_name"),
            background,
          },
  };
}

function issueOf(name: string, value: unknown, kind: string): string[] {
  if (value === undefined || value === null) return [`${name}: required for kind "${kind}"`];
  if (name === "timeout_secs") {
    const isTime = typeof value === "number" && globalThis.Number.isFinite(value) && value > 0;
    return isTime ? [] : [`${name}: expected a number of seconds greater than 0`];
  }
  if (typeof value !== "string") return [`${name}: expected text`];
  if (value.trim() === "") return [`${name}: must not be empty`];
  return [];
}
