// Random sequences of operations against rules that hold after every one of them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createTask } from "../../src/tasks/create-task.ts";
import { createListEncoder } from "../../src/tasks/list-encoding.ts";
import { parseSnapshot } from "../../src/tasks/snapshot.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { EMPTY_LIST, TASK_STATUSES, type TaskList } from "../../src/tasks/task.ts";
import { updateTask, type TaskChange } from "../../src/tasks/update-task.ts";
import { createDesk, openOwn, openShared, type Desk } from "./session-double.ts";

type Operation = { kind: "create"; subject: string } | { kind: "update"; id: string; change: TaskChange };

const idArbitrary = fc.integer({ min: 0, max: 9 }).map(String);
const idsArbitrary = fc.array(idArbitrary, { maxLength: 4 });
const changeArbitrary: fc.Arbitrary<TaskChange> = fc.record(
  {
    status: fc.constantFrom(...TASK_STATUSES, "deleted" as const),
    subject: fc.string(),
    owner: fc.string({ maxLength: 2 }),
    activeForm: fc.string({ maxLength: 2 }),
    addBlocks: idsArbitrary,
    addBlockedBy: idsArbitrary,
    metadata: fc.dictionary(fc.constantFrom("a", "b", "__proto__", "_internal"), fc.jsonValue({ maxDepth: 2 })),
  },
  { requiredKeys: [] },
);
const operationArbitrary: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ kind: fc.constant("create" as const), subject: fc.string() }),
  fc.record({ kind: fc.constant("update" as const), id: idArbitrary, change: changeArbitrary }),
);

function apply(list: TaskList, operation: Operation): { list: TaskList; result: string | undefined } {
  if (operation.kind === "create") {
    const created = createTask(list, { subject: operation.subject, description: "" });
    return { list: created.list, result: created.task.id };
  }
  const outcome = updateTask(list, operation.id, operation.change);
  if (outcome !== undefined) expect(outcome.list === list).toBe(outcome.updatedFields.length === 0);
  return { list: outcome?.list ?? list, result: undefined };
}

function checkShape(list: TaskList): void {
  const ids = list.tasks.map((task) => Number(task.id));
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  expect(list.highWaterMark).toBeGreaterThanOrEqual(ids.at(-1) ?? 0);
  const edges = (side: "blocks" | "blockedBy") =>
    list.tasks.flatMap((task) =>
      task[side].map((other) => (side === "blocks" ? [task.id, other] : [other, task.id]).join()),
    );
  expect(edges("blocks").sort()).toEqual(edges("blockedBy").sort());
  for (const task of list.tasks) {
    expect(task.blocks).toEqual([...new Set(task.blocks)].sort((a, b) => Number(a) - Number(b)));
    expect(task.blocks).not.toContain(task.id);
    expect(task.blocks.every((id) => ids.includes(Number(id)))).toBe(true);
  }
}

const content = (list: TaskList) => list.tasks;

test("some sequence of operations breaks order, edges, ids, earlier snapshots, or the way to disk and back", () => {
  fc.assert(
    fc.property(fc.array(operationArbitrary, { maxLength: 30 }), (operations) => {
      let list = EMPTY_LIST;
      const history: [TaskList, string][] = [];
      const given = new Set<string>();
      const encoder = createListEncoder();
      for (const operation of operations) {
        const { list: next, result } = apply(list, operation);
        checkShape(next);
        expect(next.highWaterMark).toBeGreaterThanOrEqual(list.highWaterMark);
        if (result !== undefined) {
          expect(given.has(result)).toBe(false);
          given.add(result);
        }
        list = next;
        // The encoder keeps what it can from the list before: it must never keep too much.
        const written = Buffer.concat(encoder.encode(list)).toString();
        expect(parseSnapshot(JSON.parse(written))).toEqual({ list, badRecords: 0 });
        history.push([list, JSON.stringify(list)]);
      }
      for (const [snapshot, text] of history) expect(JSON.stringify(snapshot)).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test("some JSON is not read, or read into something that breaks the rules", () => {
  const record = fc.record(
    {
      id: fc.oneof(idArbitrary, fc.integer(), fc.string()),
      subject: fc.oneof(fc.string(), fc.integer()),
      status: fc.constantFrom("pending", "completed", "deleted"),
      blocks: fc.oneof(idsArbitrary, fc.jsonValue()),
      blockedBy: idsArbitrary,
      metadata: fc.jsonValue(),
    },
    { requiredKeys: ["id", "subject"] },
  );
  const snapshot = fc.record({
    tasks: fc.array(fc.oneof({ weight: 5, arbitrary: record }, fc.jsonValue())),
    highWaterMark: fc.jsonValue(),
  });
  fc.assert(
    fc.property(fc.oneof(snapshot, fc.jsonValue()), (value) => {
      const parsed = parseSnapshot(value);
      if (parsed !== undefined) checkShape(parsed.list);
    }),
  );
});

async function withFolder(work: (root: string) => Promise<void>): Promise<void> {
  const root = mkdtempSync(path.join(tmpdir(), "foreman-tasks-"));
  try {
    await work(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

type Move =
  | { kind: "operate"; operation: Operation }
  | { kind: "append"; works: boolean }
  | { kind: "goTo"; place: number; summarize: boolean }
  | { kind: "restart" };

const moveArbitrary: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("operate" as const), operation: operationArbitrary }) },
  fc.record({ kind: fc.constant("append" as const), works: fc.boolean() }),
  fc.record({ kind: fc.constant("goTo" as const), place: fc.nat(30), summarize: fc.boolean() }),
  fc.record({ kind: fc.constant("restart" as const) }),
);

/** A session with its store, and what must be true of it. */
class Story {
  /** The list that was current when the entry was the leaf and left in good order. */
  readonly #atEntry = new Map<string, TaskList>();
  readonly #given = new Set<string>();
  #expected: TaskList = EMPTY_LIST;
  readonly #desk: Desk;
  #store: TaskStore;

  private constructor(desk: Desk, store: TaskStore) {
    this.#desk = desk;
    this.#store = store;
  }

  static async begin(root: string): Promise<Story> {
    const desk = createDesk(root);
    return new Story(desk, await openOwn(desk));
  }

  async play(move: Move): Promise<void> {
    if (move.kind === "append") this.#desk.appendFails = !move.works;
    if (move.kind === "operate") await this.#operate(move.operation);
    if (move.kind === "restart") await this.#restart();
    if (move.kind === "goTo") await this.#goTo(move.place, move.summarize);
    this.#remember();
    expect(content(this.#store.list)).toEqual(content(this.#expected));
    checkShape(this.#store.list);
  }

  async #operate(operation: Operation): Promise<void> {
    const expected = apply({ ...this.#expected, highWaterMark: this.#store.list.highWaterMark }, operation);
    const { result, note } = await this.#store.mutate((list) => apply(list, operation));
    expect(note).not.toContain("in memory only");
    expect(result).toBe(expected.result);
    if (result !== undefined) {
      expect(this.#given.has(result)).toBe(false);
      this.#given.add(result);
    }
    this.#expected = expected.list;
  }

  async #restart(): Promise<void> {
    await this.#store.settled();
    this.#store = await openOwn(this.#desk);
  }

  async #goTo(place: number, summarize: boolean): Promise<void> {
    const entries = this.#desk.manager.getEntries();
    const target = entries[place % Math.max(1, entries.length)];
    if (target === undefined) return;
    await this.#store.beforeRewind();
    this.#remember();
    if (summarize) this.#desk.manager.branchWithSummary(target.id, "elsewhere");
    else this.#desk.manager.branch(target.id);
    await this.#store.rewind();
    this.#expected = this.#atEntry.get(target.id) ?? EMPTY_LIST;
  }

  /** The list belongs to the leaf if the leaf says so: a change that was never appended has no place in the tree. */
  #remember(): void {
    const leaf = this.#desk.manager.getLeafEntry();
    if (leaf === undefined || this.#atEntry.has(leaf.id)) return;
    if (leaf.type === "custom") this.#atEntry.set(leaf.id, this.#expected);
    else this.#atEntry.set(leaf.id, this.#atEntry.get(leaf.parentId ?? "") ?? EMPTY_LIST);
  }
}

test(
  "some way through failing appends, the tree and restarts loses a change that was reported as done",
  { timeout: 240_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moveArbitrary, { maxLength: 25 }), (moves) =>
        withFolder(async (root) => {
          const story = await Story.begin(root);
          for (const move of moves) await story.play(move);
        }),
      ),
      { numRuns: 120 },
    );
  },
);

test(
  "some interleaving of two sessions on one list loses a change that was reported as done",
  { timeout: 240_000 },
  async () => {
    const steps = fc.array(
      fc.record({ who: fc.constantFrom(0, 1), operation: operationArbitrary, together: fc.boolean() }),
      {
        maxLength: 20,
      },
    );
    await fc.assert(
      fc.asyncProperty(steps, (script) =>
        withFolder(async (root) => {
          const stores = [await openShared(createDesk(root)), await openShared(createDesk(root))];
          let expected = EMPTY_LIST;
          const pending: Promise<unknown>[] = [];
          for (const { who, operation, together } of script) {
            // The order in which the lock was given is the order in which the steps ran.
            const call = stores[who]?.mutate((list) => {
              expect(content(list)).toEqual(content(expected));
              const outcome = apply(list, operation);
              expected = outcome.list;
              return outcome;
            });
            pending.push(call ?? Promise.resolve());
            if (!together) await Promise.all(pending);
          }
          await Promise.all(pending);
          for (const store of stores) expect(content(await store.read())).toEqual(content(expected));
        }),
      ),
      { numRuns: 60 },
    );
  },
);
