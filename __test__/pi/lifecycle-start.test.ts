// What pi finds at its start: leftovers of a pi that was killed together with its supervisors, and output of long ago.
import {
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { background, BASH_EXTENSION, startedTasks } from "./background.ts";
import {
  canSeeProcesses,
  FAILURE_BOUND_MS,
  isSuspended,
  lookUntil,
  processesWithArgument,
  startPiPrint,
  startPiRpc,
  waitForNone,
} from "./harness/index.ts";

const extensions = [BASH_EXTENSION];
const DAY_MS = 24 * 60 * 60 * 1000;

// host-kill9-orphans
test.runIf(canSeeProcesses)("what a killed supervisor has left runs on after the next start", async () => {
  const seconds = `6441.${process.pid}`;
  const command = `sleep ${seconds} & setsid sleep ${seconds} & (setsid sleep ${seconds} &); wait`;
  const first = await startPiRpc({ script: [background(command), { text: "ok" }], extensions });
  await first.run("go");
  const sleepers = () => processesWithArgument(seconds);
  const isUp = () => (sleepers().length === 3 ? true : undefined);
  expect(await lookUntil(isUp, FAILURE_BOUND_MS)).toBe(true);
  const base = path.join(first.home.tmp, "picc-bash");
  const [journal = ""] = readdirSync(path.join(base, "journal"));
  const { supervisor } = JSON.parse(readFileSync(path.join(base, "journal", journal), "utf8")) as {
    supervisor: { pid: number };
  };
  // Suspended first: a pi that sees its supervisor die cleans up itself.
  first.signal("SIGSTOP");
  expect(await lookUntil(() => (isSuspended(first.pid) ? true : undefined), FAILURE_BOUND_MS)).toBe(true);
  process.kill(supervisor.pid, "SIGKILL");
  first.signal("SIGKILL");
  await first.exited();
  expect(sleepers().length).toBeGreaterThan(0);

  const second = await startPiRpc({ script: [], extensions, env: { TMPDIR: first.home.tmp } });
  expect(await waitForNone(sleepers, FAILURE_BOUND_MS)).toEqual([]);
  const isSwept = () => (readdirSync(path.join(base, "journal")).length === 0 ? true : undefined);
  expect(await lookUntil(isSwept, FAILURE_BOUND_MS)).toBe(true);
  await second.stop();
});

// never-cleaned
test("old output stays for ever, or output in use is removed", async () => {
  const busy = await startPiRpc({ script: [background("exec sleep 600"), { text: "ok" }], extensions });
  await busy.run("go");
  const live = startedTasks(busy)[0]?.outputPath ?? "";
  const base = path.join(busy.home.tmp, "picc-bash");
  const outside = path.join(busy.home.root, "outside");
  const file = (...parts: string[]) => path.join(base, ...parts);
  const old = (name: string, ageMs = 8 * DAY_MS) => {
    const time = new Date(Date.now() - ageMs);
    utimesSync(name, time, time);
  };
  const write = (name: string, ageMs: number) => {
    mkdirSync(path.dirname(name), { recursive: true });
    writeFileSync(name, "text");
    old(name, ageMs);
  };
  write(path.join(outside, "tasks", "lvictim00.output"), 8 * DAY_MS);
  for (const session of ["one", "two", "three"]) write(file(session, "tasks", "lold00000.output"), 8 * DAY_MS);
  write(file("two", "tasks", "lyoung000.output"), 6 * DAY_MS);
  write(file("two", "tasks", "notes.txt"), 8 * DAY_MS);
  mkdirSync(file("empty", "tasks"), { recursive: true });
  for (const folder of [file("empty", "tasks"), file("empty")]) old(folder);
  const link = (target: string, name: string) => {
    const time = new Date(Date.now() - 8 * DAY_MS);
    symlinkSync(target, name);
    lutimesSync(name, time, time);
  };
  link(outside, file("linked"));
  link(path.join(outside, "tasks", "lvictim00.output"), file("two", "tasks", "llinked00.output"));
  old(live);

  // Looks at its start and at its end, for all sessions, also those of another pi.
  const env = { TMPDIR: busy.home.tmp };
  const next = await startPiPrint({ script: [{ text: "hello" }], extensions, env });
  const gone = ["one", "three", "empty", "two/tasks/lold00000.output"].map((name) => file(name));
  expect(await lookUntil(() => (gone.some(existsSync) ? undefined : true), FAILURE_BOUND_MS)).toBe(true);
  await next.finished();
  const stays = ["two/tasks/lyoung000.output", "two/tasks/notes.txt", "two/tasks/llinked00.output", "linked"];
  expect([...stays.map((name) => file(name)), live].filter((name) => !existsSync(name))).toEqual([]);
  expect(readdirSync(path.join(outside, "tasks"))).toEqual(["lvictim00.output"]);
});
