// Records of tasks on disk: `<output base>/<session>/tasks/<run id>.task.json`, beside the output they speak of.
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Addon } from "../native.ts";
import { outputBases, outputFolders } from "../runs/output-paths.ts";
import { ownSign } from "./task-owner.ts";
import { decodeRecord, type TaskRecord } from "./task-record.ts";

const SUFFIX = ".task.json";
const STOP_SUFFIX = ".stop";
/** A report is some kilobytes; more than this is not ours. */
const MAX_RECORD_BYTES = 8 * 1024 * 1024;

/**
 * Reads and writes the records of this user. Everything is small and on a local disk, so it is done at once.
 *
 * Never throws: without records, sessions only lose sight of what other processes and earlier ones have run.
 */
export class TaskJournal {
  readonly #addon: Pick<Addon, "outputBases">;

  constructor(addon: Pick<Addon, "outputBases">) {
    this.#addon = addon;
  }

  /** Writes a record of this process; readers see the old one or the new one. False: it could not be written. */
  write(record: TaskRecord): boolean {
    return outputBases(this.#addon).some((base) => writeBelow(base, record));
  }

  /** All records of one session but those that the caller knows, oldest first. */
  readSession(sessionId: string, isKnown: (runId: string) => boolean = () => false): TaskRecord[] {
    return this.#bases()
      .flatMap((base) => {
        const folder = path.join(base, ...outputFolders(sessionId));
        const names = namesIn(folder).filter((name) => name.endsWith(SUFFIX));
        return names.flatMap((name) =>
          isKnown(name.slice(0, -SUFFIX.length)) ? [] : readRecord(path.join(folder, name)),
        );
      })
      .filter((record) => record.sessionId === sessionId)
      .sort((a, b) => a.createdAtMs - b.createdAtMs);
  }

  /** One record of a session; undefined when there is none. */
  read(sessionId: string, runId: string): TaskRecord | undefined {
    return this.#bases().flatMap((base) => readRecord(path.join(base, ...outputFolders(sessionId), runId + SUFFIX)))[0];
  }

  /** Asks the process that owns a task to end it. */
  askToStop(record: TaskRecord): boolean {
    try {
      const folders = this.#bases().map((base) => path.join(base, ...outputFolders(record.sessionId)));
      const folder = folders.find((candidate) => isFile(path.join(candidate, record.runId + SUFFIX)));
      if (folder === undefined) return false;
      writeFileSync(path.join(folder, record.runId + STOP_SUFFIX), "", { mode: 0o600 });
      return true;
    } catch {
      return false;
    }
  }

  /** Those of one's own runs that somebody has asked to end, each once. */
  takeStopRequests(sessionId: string, isOwn: (runId: string) => boolean): string[] {
    return this.#bases().flatMap((base) => {
      const folder = path.join(base, ...outputFolders(sessionId));
      return namesIn(folder).flatMap((name) => {
        const runId = name.endsWith(STOP_SUFFIX) ? name.slice(0, -STOP_SUFFIX.length) : undefined;
        if (runId === undefined || !isOwn(runId)) return [];
        rmSync(path.join(folder, name), { force: true });
        return [runId];
      });
    });
  }

  /** Whether any other session of this user has a task with this run id. */
  existsElsewhere(sessionId: string, runId: string): boolean {
    const [own] = outputFolders(sessionId);
    return this.#bases().some((base) =>
      namesIn(base).some(
        (session) =>
          session !== own &&
          [runId + SUFFIX, `${runId}.output`].some((name) => isFile(path.join(base, session, "tasks", name))),
      ),
    );
  }

  #bases(): string[] {
    return outputBases(this.#addon).filter(isOurs);
  }
}

/** False: the folder is not ours, or nothing can be written there. */
function writeBelow(base: string, record: TaskRecord): boolean {
  const folder = path.join(base, ...outputFolders(record.sessionId));
  const file = path.join(folder, record.runId + SUFFIX);
  const draft = `${file}.${process.pid}.new`;
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 });
    if (!isOurs(base)) return false;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmSync(draft, { force: true });
    writeFileSync(draft, JSON.stringify({ ...record, owner: ownSign() }), { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
    return true;
  } catch {
    return false;
  }
}

/** Ours, and nobody else can put a link into it. */
function isOurs(folder: string): boolean {
  try {
    const stats = lstatSync(folder);
    if (!stats.isDirectory()) return false;
    return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
  } catch {
    return false;
  }
}

function isFile(file: string): boolean {
  try {
    return lstatSync(file).isFile();
  } catch {
    return false;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** As a list, so that what cannot be read is nothing. */
function readRecord(file: string): TaskRecord[] {
  try {
    if (lstatSync(file).size > MAX_RECORD_BYTES) return [];
    const record = decodeRecord(readFileSync(file, "utf8"));
    return record === undefined ? [] : [record];
  } catch {
    return [];
  }
}
