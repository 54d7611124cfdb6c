import type { AgentToolResult } from "@earendil-works/pi-coding-agent";
import type { ListArguments, ListStatus } from "../../schema/unified-list.ts";
import { START_BOUND_MS } from "../../unified/session.ts";
import { noteOwner, type TaskOwner } from "../../unified/task-owner.ts";
import type { TaskRecord } from "../../unified/task-record.ts";
import { jsonResult } from "../json-result.ts";
import type { UnifiedTool } from "../unified-task/task-tool.ts";

/** A script is shown to tell tasks apart, not to be read. */
const MAX_SCRIPT_CHARS = 500;

export interface ListRow {
  taskId: string;
  kind: "bash" | "agent";
  status: ListStatus;
  title?: string;
  display_name?: string;
  script?: string;
  agentType?: string;
  /** ISO 8601. */
  createdAt: string;
  uptime_ms: number;
  exitCode?: number;
  outputPath?: string;
  depth: number;
  parentId: string | null;
  /** It belongs to another pi that has the session open. */
  note?: string;
}

export interface ListPayload {
  tasks: ListRow[];
}

/** Runs one call of `task_list`. */
export async function executeList(tool: UnifiedTool, args: ListArguments): Promise<AgentToolResult<ListPayload>> {
  const wanted: readonly ListStatus[] = args.statuses?.length ? args.statuses : ["queued", "running"];
  const nowMs = Date.now();
  const session = tool.session();
  await session.waitForStarts(START_BOUND_MS);
  const rows = session.scope.list().map((record) => describe(record, session.book.ownerBeside(record), nowMs));
  return jsonResult({ tasks: rows.filter((row) => wanted.includes(row.status)) });
}

function describe(record: TaskRecord, owner: TaskOwner | undefined, nowMs: number): ListRow {
  const { script } = record;
  return {
    taskId: record.taskId,
    kind: record.kind,
    status: statusOf(record),
    ...(record.kind === "agent" ? { title: record.title } : { display_name: record.title }),
    ...(script !== undefined && {
      script: script.length > MAX_SCRIPT_CHARS ? `${script.slice(0, MAX_SCRIPT_CHARS)}…` : script,
    }),
    ...(record.agentType !== undefined && { agentType: record.agentType }),
    createdAt: new Date(record.createdAtMs).toISOString(),
    uptime_ms: record.startedAtMs === undefined ? 0 : Math.max(0, (record.endedAtMs ?? nowMs) - record.startedAtMs),
    ...(record.exitCode !== undefined && { exitCode: record.exitCode }),
    ...(record.outputPath !== undefined && { outputPath: record.outputPath }),
    depth: record.depth,
    parentId: record.parentId ?? null,
    ...(record.state !== "ended" && owner !== undefined && { note: noteOwner(owner) }),
  };
}

function statusOf(record: TaskRecord): ListStatus {
  if (record.state !== "ended") return record.state;
  if (record.kind === "agent" && record.outcome === "exited") return "reported";
  return record.outcome ?? "failed";
}
