import type { AgentDefinition } from "../../agents/definition.ts";
import type { Config } from "../../config.ts";

export interface TaskTextFacts {
  config: Pick<Config, "backgroundEnabled" | "maxParallelAgents" | "maxAgentDepth" | "notify">;
  definitions: Iterable<AgentDefinition>;
  /** Generations above this session. */
  depth: number;
}

/** What the model reads about `task`. */
export function taskDescription({ config, definitions, depth }: TaskTextFacts): string {
  const agents = [...definitions].map(({ name, description }) => `  - ${name}: ${description}`);
  return [
    "Runs a shell command or a sub-agent, and waits for it unless run_in_background is set.",
    "",
    '- kind "bash" runs script in a shell in the current working directory: no terminal, no input, nothing carried over between calls. The result has the exit code and what was printed; when that is long, its middle is left out and outputPath holds all of it.',
    ...(depth >= config.maxAgentDepth
      ? ["- Agents cannot be started here: this is as deep as they may be nested."]
      : [
          `- kind "agent" (the default) gives prompt to another agent with a context of its own and returns its report. At most ${config.maxParallelAgents} run at a time, the rest are queued. Types:`,
          ...agents,
        ]),
    ...(config.backgroundEnabled
      ? [
          "- In the background the call returns a taskId at once. task_await gives new output and the result, task_list shows what runs, task_terminate ends it." +
            (config.notify ? " You are told when it ends." : ""),
          "- Everything still running is ended when the session quits.",
        ]
      : ["- Commands cannot be started in the background here; run_in_background holds for agents only."]),
  ].join("\n");
}

export const TASK_SNIPPET = "Run shell commands and sub-agents, in the foreground or in the background";

export const TASK_GUIDELINES = [
  'Use task with kind "bash" for commands, such as ls, rg, git, builds and tests; set run_in_background for servers and anything that takes long.',
  "You can inspect PI_* environment variables for current model and session details.",
];
