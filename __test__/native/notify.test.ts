import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { NotificationMessage, NotificationSink } from "../../src/runs/notify.ts";
import { Notifier } from "../../src/runs/notify.ts";
import { withSlashes } from "../../src/runs/output-paths.ts";
import { PrintHold } from "../../src/runs/print-hold.ts";
import { RunRegistry } from "../../src/runs/registry.ts";
import { stopTask } from "../../src/runs/stop.ts";
import { bash, SESSION_ID, taskIdOf, useBench, waitForEnd } from "./runs.ts";

const bench = useBench();

/** An agent that only takes notes. */
class Agent implements NotificationSink {
  idle = true;
  stale = false;
  readonly messages: { message: NotificationMessage; wake: boolean }[] = [];
  readonly toasts: string[] = [];
  #heard: () => void = () => undefined;

  looks = 0;

  isIdle(): boolean {
    this.looks++;
    return this.idle;
  }

  send(message: NotificationMessage, wake: boolean): void {
    if (this.stale) throw new Error("This extension ctx is stale");
    this.messages.push({ message, wake });
    this.#heard();
  }

  hasTaskStop(): boolean {
    return true;
  }

  toast(text: string): void {
    this.toasts.push(text);
  }

  /** Resolves at the next message. */
  hear(): Promise<void> {
    return new Promise((resolve) => {
      this.#heard = resolve;
    });
  }

  told(): string[] {
    return this.messages.flatMap(({ message }) => message.details.tasks.map((task) => task.id));
  }
}

let agent = new Agent();

beforeEach(() => {
  agent = new Agent();
  bench.notifier.attach(SESSION_ID, agent);
});

afterEach(() => {
  bench.notifier.detach(SESSION_ID);
  bench.notifier.setEnabled(true);
});

async function start(command: string, sessionId = SESSION_ID): Promise<string> {
  return taskIdOf(await bash(bench, { command, run_in_background: true }, { sessionId }));
}

test("an idle agent sleeps through the end of its task", async () => {
  const heard = agent.hear();
  const id = await start("exit 3");
  await heard;
  expect(agent.messages).toHaveLength(1);
  expect(agent.messages[0]).toMatchObject({
    wake: true,
    message: { customType: "task-notification", display: true, details: { tasks: [{ id, status: "failed", exitCode: 3 }] } },
  });
  expect(agent.messages[0]?.message.content).toContain(`<task-id>${id}</task-id>`);
  expect(agent.toasts).toEqual(['Background command "exit 3" failed with exit code 3']);
});

test("several ends are told one by one, or one of them is lost", async () => {
  // notice-lost
  agent.idle = false;
  const ids = await Promise.all([start("true"), start("false"), start("sleep 0.1")]);
  for (const id of ids) await waitForEnd(bench, id);
  expect(agent.messages).toEqual([]);
  bench.notifier.flush(SESSION_ID, true);
  bench.notifier.flush(SESSION_ID, true);
  expect(agent.messages).toHaveLength(1);
  expect(agent.told().sort()).toEqual(ids.sort());
});

test("a task that ends while an idle agent compacts never wakes it", async () => {
  // notice-lost
  agent.idle = false;
  const heard = agent.hear();
  const id = await start("true");
  await waitForEnd(bench, id);
  // Not before it was seen to be busy.
  await vi.waitFor(() => {
    expect(agent.looks).toBeGreaterThan(0);
  });
  agent.idle = true;
  await heard;
  expect(agent.told()).toEqual([id]);
});

test("a task that the model stopped is told to it", async () => {
  // own-stop-says-failed
  agent.idle = false;
  const id = await start("sleep 3501.5");
  await stopTask(bench.registry, id, { graceMs: 2000 });
  bench.notifier.flush(SESSION_ID, true);
  expect(agent.messages).toEqual([]);
  expect(agent.toasts).toEqual([]);
});

test("another session hears of the task, or the owner never does", async () => {
  agent.idle = false;
  const id = await start("true", "session-2");
  await waitForEnd(bench, id);
  bench.notifier.flush(SESSION_ID, true);
  expect(agent.messages).toEqual([]);
  // A person looks at the screen of this session, whoever owns the task.
  expect(agent.toasts).toHaveLength(1);
  const owner = new Agent();
  const heard = owner.hear();
  bench.notifier.attach("session-2", owner);
  await heard;
  bench.notifier.detach("session-2");
  expect(owner.told()).toEqual([id]);
});

test("a session that is being replaced swallows the notice", async () => {
  agent.stale = true;
  agent.idle = false;
  const id = await start("true");
  await waitForEnd(bench, id);
  bench.notifier.flush(SESSION_ID, true);
  expect(agent.messages).toEqual([]);
  const next = new Agent();
  const heard = next.hear();
  bench.notifier.attach(SESSION_ID, next);
  await heard;
  expect(next.told()).toEqual([id]);
});

test("a reload forgets the task, or tells its end twice", async () => {
  agent.idle = false;
  const [ended, running] = [await start("true"), await start("sleep 3511.5")];
  await waitForEnd(bench, ended);
  // What a new evaluation of the modules does, with the same addon.
  const registry = new RunRegistry(bench.addon);
  const notifier = new Notifier(registry);
  for (const run of registry.restore()) notifier.add(run);
  try {
    expect(registry.get(running)).toMatchObject({ state: "running", command: "sleep 3511.5", sessionId: SESSION_ID });
    const next = new Agent();
    const heard = next.hear();
    notifier.attach(SESSION_ID, next);
    await heard;
    expect(next.told()).toEqual([ended]);
    expect(await stopTask(registry, running, { graceMs: 2000 })).toMatchObject({ kind: "stopped" });
    const again = new RunRegistry(bench.addon);
    expect(again.restore()).toEqual([]);
    expect(again.get(running)).toMatchObject({ state: "killed" });
  } finally {
    // The events of this task went to the others; the bench's own picture of it is out of date.
    bench.registry.restore();
    for (const run of bench.registry.list()) bench.registry.forget(run);
  }
});

test("notices that are turned off reach the model, or hide the end from the person", async () => {
  bench.notifier.setEnabled(false);
  agent.idle = false;
  const id = await start("true");
  await waitForEnd(bench, id);
  bench.notifier.flush(SESSION_ID, true);
  expect(agent.messages).toEqual([]);
  expect(agent.toasts).toHaveLength(1);
});

test("a one-shot session ends before its task, or waits without end", async () => {
  // print-mode-never-exits
  agent.idle = false;
  const hold = new PrintHold(bench.registry, 1_500);
  await expect(hold.waitForAnEnd(SESSION_ID)).resolves.toBe(false);
  const go = path.join(bench.cwd, "go");
  const short = await start(`until [ -e '${withSlashes(go)}' ]; do sleep 0.02; done`);
  const long = await start("sleep 3521.5");
  const held = hold.waitForAnEnd(SESSION_ID);
  writeFileSync(go, "");
  await expect(held).resolves.toBe(true);
  expect(bench.notifier.take(SESSION_ID)?.details.tasks).toMatchObject([{ id: short }]);
  await expect(hold.waitForAnEnd(SESSION_ID)).resolves.toBe(false);
  // The budget is spent: later holds end at once.
  const startedAt = performance.now();
  await expect(hold.waitForAnEnd(SESSION_ID)).resolves.toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  await stopTask(bench.registry, long, { graceMs: 0 });
});
