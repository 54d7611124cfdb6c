import type { Usage } from "../agents/progress.ts";
import type { TaskKind } from "./task-id.ts";
import { readOwner, type TaskOwner } from "./task-owner.ts";

/** `exited`: it ended by itself, whatever the code. `failed`: an agent without a report, or an end that nobody saw. */
export type TaskOutcome = "exited" | "killed" | "failed" | "timed_out";

/**
 * What is known of one task: kept in memory by the process that owns it, and on disk for its ancestors in other
 * processes and for the time after a restart. The tree of sessions is in it: a task has the session that started it, an
 * agent also the session that it is.
 */
export interface TaskRecord {
  version: 1;
  taskId: string;
  kind: TaskKind;
  runId: string;
  /** The session that started it. */
  sessionId: string;
  /** The agent task that this session is; absent at the root. */
  parentId?: string;
  /** Generations above `sessionId`. */
  depth: number;
  title: string;
  /** Of bash. */
  script?: string;
  /** Of an agent. */
  agentType?: string;
  /** Of an agent: the session that it is. */
  childSessionId?: string;
  /** Unix milliseconds. */
  createdAtMs: number;
  startedAtMs?: number;
  endedAtMs?: number;
  outputPath?: string;
  state: "queued" | "running" | "ended";
  outcome?: TaskOutcome;
  /** As a shell says it: a signal reads 128 + n. */
  exitCode?: number;
  /** Its shell has ended, processes that it started go on. */
  membersLeft?: boolean;
  /** Trouble in writing its output down. */
  captureError?: { code: string; bytesLost: number };
  /** Of an agent: its last words … */
  report?: string;
  /** … or why there are none. */
  failure?: string;
  usage?: Usage;
  /** The usage was added to that of the session that owns it. */
  usageTold?: boolean;
  /** Bytes of the output that the owner has been given by task_await. */
  readTo: number;
  /** On disk the process that has written it; in memory absent from what is this process's own. */
  owner?: TaskOwner;
}

/** Nothing of it will change any more, so that it does not matter whose it is. */
export function isSettled(record: TaskRecord): boolean {
  return !isActive(record) && (record.usage === undefined || record.usageTold === true);
}

/** Something of it runs, or is to. */
export function isActive(record: TaskRecord): boolean {
  return record.state !== "ended" || record.membersLeft === true;
}

/** The record that a file holds; undefined for anything else (torn, of a later version, not ours). */
export function decodeRecord(text: string): TaskRecord | undefined {
  try {
    const record = JSON.parse(text) as Partial<TaskRecord> | null;
    const whole =
      record?.version === 1 &&
      typeof record.taskId === "string" &&
      (record.kind === "bash" || record.kind === "agent") &&
      typeof record.runId === "string" &&
      typeof record.sessionId === "string" &&
      typeof record.title === "string" &&
      typeof record.depth === "number" &&
      typeof record.createdAtMs === "number" &&
      typeof record.readTo === "number" &&
      (record.state === "queued" || record.state === "running" || record.state === "ended");
    if (!whole) return undefined;
    const { owner, ...facts } = record as TaskRecord;
    const known = readOwner(owner);
    return { ...facts, ...(known !== undefined && { owner: known }) };
  } catch {
    return undefined;
  }
}
