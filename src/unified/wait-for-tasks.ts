import type { AgentPool } from "../agents/pool.ts";
import { MAX_TIMER_MS } from "../config.ts";
import { EMPTY_EXCERPT, joinExcerpts, type LineExcerpt } from "../format/line-excerpt.ts";
import { toForemanError } from "../native.ts";
import { guard } from "../runs/registry.ts";
import type { RunService } from "../runs/service.ts";
import { describeTask, ROW_LIMITS, type AwaitRow } from "./await-row.ts";
import type { OutputCursors } from "./output-cursor.ts";
import { fileSize, type OutputWatch } from "./output-watch.ts";
import type { TaskBook } from "./task-book.ts";
import { malformedIdReason, parseTaskId } from "./task-id.ts";
import type { TaskRecord } from "./task-record.ts";
import type { TaskScope } from "./task-scope.ts";

/** Records of tasks in other processes cannot tell us of a change. */
const LOOK_ELSEWHERE_EVERY_MS = 200;

export interface AwaitRequest {
  /** Distinct ids, in the order of the rows. */
  taskIds: readonly string[];
  filter?: string | undefined;
  exclude?: boolean | undefined;
  /** 0: look once. */
  timeoutMs: number;
  minCompleted?: number | undefined;
}

export interface AwaitParts {
  service: RunService;
  pool: AgentPool;
  book: TaskBook;
  scope: TaskScope;
  cursors: OutputCursors;
  watch: OutputWatch;
  /** Aborts when the call is to answer at once: the person gave up or has sent a message. */
  interruption: AbortSignal;
  /** The tool that ends a task in this session. */
  terminateTool: string;
}

export interface AwaitAnswer {
  rows: AwaitRow[];
  interrupted: boolean;
  /** The records behind the completed rows. */
  completed: TaskRecord[];
}

/**
 * Waits until each task has something to say, or enough of them are completed, or the time is up. Always answers with a
 * row for each id; a task that cannot be looked at costs only its own row.
 */
export function waitForTasks(parts: AwaitParts, request: AwaitRequest): Promise<AwaitAnswer> {
  return new Promise((resolve, reject) => {
    new Wait(parts, request, resolve, reject).begin();
  });
}

interface Row {
  taskId: string;
  /** Undefined: there is no such task to look at. */
  record: TaskRecord | undefined;
  /** Answers whatever happens. */
  fixed: AwaitRow | undefined;
  excerpt: LineExcerpt;
  /** New complete lines came, wanted or not as the filter says. */
  hasNews: boolean;
  /** Everything of an ended task was read. */
  isComplete: boolean;
  isReading: boolean;
  /** Something has changed while it was being read. */
  hasChangedSince: boolean;
  /** Size of the output at the last look. */
  seenBytes: number;
}

class Wait {
  readonly #parts: AwaitParts;
  readonly #request: AwaitRequest;
  readonly #resolve: (answer: AwaitAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #rows: Row[];
  #isOver = false;
  #isInterrupted = false;
  #release: () => void = () => undefined;

  constructor(
    parts: AwaitParts,
    request: AwaitRequest,
    resolve: (answer: AwaitAnswer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#parts = parts;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#rows = request.taskIds.map((taskId) => this.#openRow(taskId));
  }

  begin(): void {
    const { interruption, book, service } = this.#parts;
    const { timeoutMs } = this.#request;
    const unhold = service.registry.hold();
    const onInterrupt = (): void => {
      this.#isInterrupted = true;
      this.#answer();
    };
    const unlisten = book.onChange(() => {
      this.#lookAtAll();
    });
    const unwatch = this.#rows.map((row) => this.#watchOutput(row));
    const isElsewhere = this.#rows.some(({ record }) => record !== undefined && book.isElsewhere(record));
    const ticker = isElsewhere
      ? setInterval(() => {
          this.#lookAtAll();
        }, LOOK_ELSEWHERE_EVERY_MS)
      : undefined;
    let timer: NodeJS.Timeout | undefined;
    this.#release = () => {
      unhold();
      unlisten();
      for (const stop of unwatch) stop();
      clearInterval(ticker);
      clearTimeout(timer);
      interruption.removeEventListener("abort", onInterrupt);
    };
    interruption.addEventListener("abort", onInterrupt, { once: true });
    if (interruption.aborted) {
      this.#isInterrupted = true;
    } else if (timeoutMs > 0) {
      timer = setTimeout(
        () => {
          this.#answer();
        },
        Math.min(timeoutMs, MAX_TIMER_MS),
      );
    }
    // The first look is complete in each case: whoever asks gets what is there.
    this.#await(Promise.all(this.#rows.map((row) => this.#look(row))), () => {
      if (timeoutMs <= 0 || this.#isInterrupted) this.#answer();
      else this.#answerIfReady();
    });
  }

  /** What goes wrong in a look or behind it ends the wait; unhandled, it would end pi. */
  #await(looks: Promise<unknown>, then: () => void): void {
    looks.then(then).catch((error: unknown) => {
      this.#isOver = true;
      this.#release();
      this.#reject(error);
    });
  }

  #watchOutput(row: Row): () => void {
    const path = row.record?.kind === "bash" ? row.record.outputPath : undefined;
    if (path === undefined) return () => undefined;
    return this.#parts.watch.watch(path, () => {
      if (!this.#isOver) this.#lookAndAnswer(row);
    });
  }

  #lookAndAnswer(row: Row): void {
    this.#await(this.#look(row), () => {
      this.#answerIfReady();
    });
  }

  #openRow(taskId: string): Row {
    const row: Row = {
      taskId,
      record: undefined,
      fixed: undefined,
      excerpt: EMPTY_EXCERPT,
      hasNews: false,
      isComplete: false,
      isReading: false,
      hasChangedSince: false,
      seenBytes: -1,
    };
    const parsed = parseTaskId(taskId);
    if (parsed === undefined) {
      row.fixed = { status: "error", taskId, error: malformedIdReason(taskId) };
      return row;
    }
    const found = this.#parts.scope.find(taskId, parsed.runId);
    if (found.kind === "mine") row.record = found.record;
    else if (found.kind === "someone-else") row.fixed = { status: "invalid_scope", taskId };
    else {
      const activeTaskIds = this.#parts.scope.active().map((record) => record.taskId);
      row.fixed = { status: "not_found", taskId, activeTaskIds };
    }
    return row;
  }

  #lookAtAll(): void {
    if (this.#isOver) return;
    guard(() => {
      this.#refreshElsewhere();
    });
    for (const row of this.#rows) this.#lookAndAnswer(row);
  }

  /** Tasks of descendants and of another pi of the session change there; their records are read once for all rows. */
  #refreshElsewhere(): void {
    const { book, scope } = this.#parts;
    const elsewhere = this.#rows.filter((row) => row.record !== undefined && book.isElsewhere(row.record));
    if (elsewhere.every((row) => row.record?.state === "ended")) return;
    const byId = new Map(scope.list().map((record) => [record.taskId, record]));
    for (const row of elsewhere) row.record = byId.get(row.taskId) ?? row.record;
  }

  async #look(row: Row): Promise<void> {
    if (row.record === undefined || row.fixed !== undefined || row.isComplete) return;
    if (row.isReading) {
      row.hasChangedSince = true;
      return;
    }
    const own = this.#parts.book.get(row.record.runId);
    if (own?.taskId === row.taskId) row.record = own;
    const { record } = row;
    const ended = record.state === "ended";
    if (record.kind === "agent" || record.outputPath === undefined) {
      row.isComplete = ended;
      return;
    }
    const bytes = fileSize(record.outputPath);
    if (!ended && bytes === row.seenBytes) return;
    row.isReading = true;
    try {
      await this.#read(row, record, record.outputPath, ended);
      row.seenBytes = bytes;
      row.isComplete = ended;
    } catch (error) {
      const { code, message } = toForemanError(error, "OUTPUT_UNREADABLE");
      // The end of a task is known without its output, which is removed after a week.
      if (ended && code === "OUTPUT_UNREADABLE") row.isComplete = true;
      else row.fixed = { status: "error", taskId: row.taskId, error: message };
    } finally {
      row.isReading = false;
    }
    if (!row.hasChangedSince || this.#isOver) return;
    row.hasChangedSince = false;
    this.#lookAndAnswer(row);
  }

  async #read(row: Row, record: TaskRecord, path: string, ended: boolean): Promise<void> {
    const { book, cursors } = this.#parts;
    const { filter, exclude } = this.#request;
    const result = await cursors.read({
      key: `${book.sessionId} ${row.taskId}`,
      path,
      from: record.sessionId === book.sessionId ? record.readTo : 0,
      filter,
      exclude,
      final: ended && record.membersLeft !== true,
      maxBytes: ROW_LIMITS.maxBytes,
      isWanted: () => !this.#isOver,
    });
    const { lines, omittedLines, linesBeforeGap } = result;
    const excerpt =
      omittedLines === 0
        ? { head: lines, tail: [], omittedLines: 0 }
        : { head: lines.slice(0, linesBeforeGap), tail: lines.slice(linesBeforeGap), omittedLines };
    row.excerpt = joinExcerpts(row.excerpt, excerpt, ROW_LIMITS);
    // Lines that a person would call noise do not end a wait; lines that are not looked for do.
    row.hasNews ||= exclude === true ? lines.length > 0 : result.moved;
  }

  #answerIfReady(): void {
    if (this.#isOver) return;
    const { minCompleted } = this.#request;
    const open = this.#rows.filter((row) => row.fixed === undefined);
    const completed = open.filter((row) => row.isComplete).length;
    const isReady =
      minCompleted === undefined
        ? open.every((row) => row.isComplete || row.hasNews)
        : completed >= Math.min(minCompleted, open.length);
    if (isReady) this.#answer();
  }

  #answer(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
    const nowMs = Date.now();
    const completed: TaskRecord[] = [];
    const rows = this.#rows.map((row): AwaitRow => {
      const { taskId, record, fixed } = row;
      if (fixed !== undefined) return fixed;
      try {
        if (record === undefined) throw new Error("the task could not be looked at");
        // Its end is told with its last output, not before.
        const shown: TaskRecord = record.state === "ended" && !row.isComplete ? asRunning(record) : record;
        const agent = this.#parts.pool.get(record.runId);
        const owner = this.#parts.book.ownerBeside(record);
        const described = describeTask(shown, row.excerpt, {
          nowMs,
          agent,
          owner,
          interrupted: this.#isInterrupted,
          terminateTool: this.#parts.terminateTool,
        });
        if (shown.state === "ended") completed.push(record);
        return described;
      } catch (error) {
        // A record on disk may hold anything.
        return { status: "error", taskId, error: error instanceof Error ? error.message : String(error) };
      }
    });
    guard(() => {
      this.#saveCursors();
    });
    this.#resolve({ rows, interrupted: this.#isInterrupted, completed });
  }

  #saveCursors(): void {
    const { book, cursors } = this.#parts;
    for (const { record, taskId } of this.#rows) {
      if (record === undefined) continue;
      book.note(record, { readTo: cursors.position(`${book.sessionId} ${taskId}`, record.readTo) });
    }
  }
}

function asRunning(record: TaskRecord): TaskRecord {
  return { ...record, state: "running", endedAtMs: Date.now() };
}
