import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import {
  LEGACY_TERMINATE_NAME,
  legacyListSchema,
  legacyOutputSchema,
  legacyTerminateSchema,
  type LegacyOutputArguments,
  type LegacyTerminateArguments,
} from "../../schema/legacy-bash.ts";
import { dropNulls } from "../../schema/unified-task.ts";
import { executeAwait } from "../../tools/unified-await/execute.ts";
import { executeList } from "../../tools/unified-list/execute.ts";
import type { UnifiedTool } from "../../tools/unified-task/task-tool.ts";
import { executeTerminate } from "../../tools/unified-terminate/execute.ts";

/** Old names for the same code. A bare run id is taken as that of a command, as it was then. */
export function registerLegacyTools(pi: Pick<ExtensionAPI, "registerTool">, tool: UnifiedTool): void {
  const deprecated = (successor: string): string =>
    tool.config.surface === "classic" ? "Deprecated" : `Deprecated, use ${successor}`;
  pi.registerTool({
    name: "bash_output",
    label: "bash_output",
    description: `${deprecated("task_await")}: gives the new output of a command.`,
    parameters: legacyOutputSchema,
    prepareArguments: (raw) => dropNulls(raw),
    execute: (_id, raw, signal, _onUpdate, ctx) => {
      const args = raw as LegacyOutputArguments;
      const timeoutSecs = args.block === true ? args.timeout && args.timeout / 1000 : 0;
      return executeAwait(
        tool,
        {
          task_ids: [bashId(args.task_id)],
          ...(args.filter !== undefined && { filter: args.filter }),
          ...(timeoutSecs !== undefined && { timeout_secs: timeoutSecs }),
        },
        signal,
        ctx,
      );
    },
  });
  pi.registerTool({
    name: "bash_background_list",
    label: "bash_background_list",
    description: `${deprecated("task_list")}: lists what runs in the background.`,
    parameters: legacyListSchema,
    prepareArguments: (raw) => dropNulls(raw),
    execute: () => executeList(tool, {}),
  });
  pi.registerTool({
    name: LEGACY_TERMINATE_NAME,
    label: LEGACY_TERMINATE_NAME,
    description: `${deprecated("task_terminate")}: ends a command that runs in the background.`,
    parameters: legacyTerminateSchema,
    prepareArguments: (raw) => dropNulls(raw),
    execute: (_id, raw, signal) =>
      executeTerminate(tool, { task_ids: [bashId((raw as LegacyTerminateArguments).task_id)] }, signal),
  });
}

function bashId(id: string): string {
  return id.includes(":") ? id : `bash:${id}`;
}
