import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { acquireLock } from "../../src/tasks/lock.ts";
import { livenessOf, ownIdentity, parseProcStat, parsePsLine } from "../../src/processes/identity.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A process that holds the lock until it is ended; resolves when it holds it. */
async function startHolder(folder: string): Promise<ChildProcess> {
  const script = path.join(import.meta.dirname, "fixtures", "hold-lock.ts");
  const child = spawn(process.execPath, [script, folder], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface({ input: child.stdout })) if (line === "held") break;
  return child;
}

/** A process that is not there. */
const NOBODY = { pid: 2 ** 30 };

const ended = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once("exit", resolve));

test("two get in at once", async () => {
  const folder = temporaryFolder();
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const lock = await acquireLock(folder);
      inside += 1;
      most = Math.max(most, inside);
      await lock.verify();
      inside -= 1;
      await lock.release();
    }),
  );
  expect(most).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

// faults: lock-not-atomic-or-stale
test("a holder that was killed blocks the others", async () => {
  const folder = temporaryFolder();
  const holder = await startHolder(folder);
  const exit = ended(holder);
  holder.kill("SIGKILL");
  await exit;
  expect(readdirSync(folder)).toEqual(["lock"]);
  const lock = await acquireLock(folder, { waitMs: 5_000 });
  await lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

// A container without an init: nobody asks for the exit of what was killed. Windows has no such state.
test.skipIf(process.platform === "win32")(
  "a holder that was killed blocks the others until its parent ends",
  async () => {
    const folder = temporaryFolder();
    const script = path.join(import.meta.dirname, "fixtures", "hold-lock.ts");
    // The shell starts the holder and becomes a program that never waits for it.
    const parent = spawn(
      "/bin/sh",
      ["-c", 'exec 3<&0; "$@" <&3 & exec cat >/dev/null', "sh", process.execPath, script, folder],
      {
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    onTestFinished(() => void parent.kill("SIGKILL"));
    for await (const line of createInterface({ input: parent.stdout })) if (line === "held") break;
    const [record = ""] = readdirSync(path.join(folder, "lock"));
    const { pid } = JSON.parse(readFileSync(path.join(folder, "lock", record), "utf8")) as { pid: number };
    process.kill(pid, "SIGKILL");
    const lock = await acquireLock(folder, { waitMs: 5_000 });
    await lock.release();
    expect(parent.exitCode).toBeNull();
  },
);

test("many waiters that find a dead holder get in together", async () => {
  for (let round = 0; round < 20; round += 1) {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, "lock"));
    const dead = { ...ownIdentity(), ...NOBODY };
    writeFileSync(path.join(folder, "lock", "dead.json"), JSON.stringify(dead));
    let inside = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const lock = await acquireLock(folder);
        inside += 1;
        expect(inside).toBe(1);
        await lock.verify();
        inside -= 1;
        await lock.release();
      }),
    );
  }
});

test("a live holder loses its lock, or the error does not say who holds it", async () => {
  const folder = temporaryFolder();
  const holder = await startHolder(folder);
  await expect(acquireLock(folder, { waitMs: 50 })).rejects.toThrow(`locked for 50 ms by process ${holder.pid ?? 0}`);
  expect(readdirSync(folder)).toEqual(["lock"]);
  const exit = ended(holder);
  holder.stdin?.end();
  await exit;
  await (await acquireLock(folder)).release();
});

test("a lock from another machine holds for ever, or falls at once", async () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "lock"));
  writeFileSync(path.join(folder, "lock", "far.json"), JSON.stringify({ pid: process.pid, place: "another machine" }));
  await expect(acquireLock(folder, { waitMs: 60, unknownOwnerMs: 60_000 })).rejects.toThrow(/another/);
  await (await acquireLock(folder, { unknownOwnerMs: 60 })).release();
});

test("a lock whose owner's number went to someone else holds for ever where no start can be looked up", async () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "lock"));
  const { pid, place } = ownIdentity();
  writeFileSync(path.join(folder, "lock", "gone.json"), JSON.stringify({ pid, place }));
  await expect(acquireLock(folder, { waitMs: 60, unknownOwnerMs: 60_000 })).rejects.toThrow(/locked/);
  await (await acquireLock(folder, { unknownOwnerMs: 60 })).release();
});

test("a lock with an unreadable or missing record blocks for ever", async () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "lock"));
  await (await acquireLock(folder)).release();
  mkdirSync(path.join(folder, "lock"));
  writeFileSync(path.join(folder, "lock", "torn.json"), "{");
  await (await acquireLock(folder, { unknownOwnerMs: 60 })).release();
});

test("releasing a lock that was taken away removes the one of its new owner", async () => {
  const folder = temporaryFolder();
  const lost = await acquireLock(folder);
  const [name = ""] = readdirSync(path.join(folder, "lock"));
  const record = path.join(folder, "lock", name);
  writeFileSync(record, JSON.stringify({ ...(JSON.parse(readFileSync(record, "utf8")) as object), ...NOBODY }));
  const next = await acquireLock(folder);
  await expect(lost.verify()).rejects.toThrow();
  await lost.release();
  await next.verify();
  await next.release();
});

test("a pid that was given to someone else counts as the old process", () => {
  // On Windows nothing tells when a process was started.
  const canTell = process.platform !== "win32";
  expect(livenessOf(ownIdentity())).toBe(canTell ? "alive" : "unknown");
  expect(livenessOf({ ...ownIdentity(), startedAt: "1" })).toBe(canTell ? "dead" : "unknown");
  expect(livenessOf({ pid: process.pid, place: ownIdentity().place })).toBe("unknown");
  expect(livenessOf({ ...ownIdentity(), ...NOBODY })).toBe("dead");
  expect(livenessOf({ ...ownIdentity(), place: "elsewhere" })).toBe("unknown");
});

test.each([
  [parseProcStat("7 (node) S 1 7 7 0 -1 4 1 2 3 4 5 6 7 8 20 0 11 0 4711 99"), { isZombie: false, startedAt: "4711" }],
  [parseProcStat("7 (a) Z b) Z 1 7 7 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 4711 0"), { isZombie: true, startedAt: "4711" }],
  [parseProcStat(""), undefined],
  [parsePsLine("Ss+  Mon Dec  1 03:31:42 2026    \n"), { isZombie: false, startedAt: "Mon Dec  1 03:31:42 2026" }],
  [parsePsLine("Z    Mon Dec  1 03:31:42 2026"), { isZombie: true, startedAt: "Mon Dec  1 03:31:42 2026" }],
  [parsePsLine("Z"), { isZombie: true, startedAt: undefined }],
  [parsePsLine(""), undefined],
])("what the system tells of a process is misread (%o)", (facts, expected) => {
  expect(facts).toEqual(expected);
});
