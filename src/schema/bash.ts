// Named imports: the namespace would bring all of typebox into the bundle.
import { Boolean, Number, Object, Optional, String, type Static, type TSchema } from "typebox";
import { repairNulRedirects } from "./nul-redirects.ts";

export interface BashArguments {
  command: string;
  /** Milliseconds. */
  timeout?: number;
  description?: string;
  run_in_background?: boolean;
}

/** The numbers in force, which the schema's text shows. */
export interface BashSchemaFacts {
  defaultTimeoutMs: number;
  maxTimeoutMs: number;
  backgroundEnabled: boolean;
}

/** Parameters of the bash tool; unknown ones are refused. */
export function bashSchema(facts: BashSchemaFacts): TSchema {
  return Object(
    {
      command: String({ description: "The command to run" }),
      timeout: Optional(
        Number({
          description: `Timeout in milliseconds. Default ${facts.defaultTimeoutMs}, at most ${facts.maxTimeoutMs}`,
        }),
      ),
      description: Optional(String({ description: "What the command does, in a few words; shown to the user" })),
      ...(facts.backgroundEnabled && {
        run_in_background: Optional(
          Boolean({ description: "Return at once and let the command run on; no timeout applies to it then" }),
        ),
      }),
    },
    { additionalProperties: false },
  );
}

/** Result for other tools, such as scripts: the shape that pi's own bash has, and what a task in the background adds. */
export const bashOutputSchema = Object({
  output: String({ description: "Combined stdout and stderr, possibly truncated" }),
  truncated: Boolean(),
  full_output_path: Optional(String({ description: "Full output, when truncated or still growing" })),
  exit_code: Optional(Number({ description: "Absent while the command still runs" })),
  wall_time_seconds: Number(),
  background_task_id: Optional(String({ description: "Set when the command, or something it started, still runs" })),
});

export type BashOutput = Static<typeof bashOutputSchema>;

/** Names that models use for ours. */
const SLIPS: Readonly<Record<string, keyof BashArguments>> = {
  cmd: "command",
  script: "command",
  timeout_ms: "timeout",
  timeoutMs: "timeout",
  background: "run_in_background",
  runInBackground: "run_in_background",
};

/**
 * Repairs common slips before validation; everything else is left for the schema to refuse.
 * A wrong name is only taken when the right one is absent. Where there is no background, asking for it is ignored.
 */
export function repairBashArguments(
  raw: unknown,
  backgroundEnabled: boolean,
  platform: NodeJS.Platform = process.platform,
): BashArguments {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return raw as BashArguments;
  const repaired: Record<string, unknown> = { ...raw };
  for (const [slip, name] of globalThis.Object.entries(SLIPS)) {
    if (slip in repaired && repaired[name] === undefined) {
      repaired[name] = repaired[slip];
      // The name is refused by the schema, so it cannot stay.
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete
      delete repaired[slip];
    }
  }
  // Not finite means the default; the schema would refuse it.
  if (typeof repaired["timeout"] === "number" && !globalThis.Number.isFinite(repaired["timeout"])) {
    delete repaired["timeout"];
  }
  if (!backgroundEnabled) delete repaired["run_in_background"];
  // Here, so that a person and every hook see what will run.
  if (platform === "win32" && typeof repaired["command"] === "string") {
    repaired["command"] = repairNulRedirects(repaired["command"]);
  }
  return repaired as unknown as BashArguments;
}
