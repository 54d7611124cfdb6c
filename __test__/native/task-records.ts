import type { TaskRecord } from "../../src/unified/task-record.ts";

/** The record of a command that runs, as its process has written it, but for what is given. */
export function recordOfCommand(facts: Pick<TaskRecord, "runId" | "sessionId"> & Partial<TaskRecord>): TaskRecord {
  return {
    version: 1,
    taskId: `bash:${facts.runId}`,
    kind: "bash",
    depth: 0,
    title: "A command",
    script: "sleep 600",
    createdAtMs: 1,
    state: "running",
    readTo: 0,
    ...facts,
  };
}
