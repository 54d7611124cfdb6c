import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { parseSnapshot } from "../../src/tasks/snapshot.ts";
import { create, createDesk, openShared, subjects } from "./session-double.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const SCRIPT = path.join(import.meta.dirname, "fixtures", "create-many.ts");

interface Worker {
  child: ChildProcess;
  ready: Promise<void>;
  /** What it was told is done, when it has ended. */
  reported: Promise<string[]>;
}

function startWorker(root: string, name: string, count: number): Worker {
  const child = spawn(process.execPath, [SCRIPT, root, name, String(count)], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  let sayReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => (sayReady = resolve));
  const reported = new Promise<string[]>((resolve) => {
    createInterface({ input: child.stdout })
      .on("line", (line) => {
        if (line === "ready") sayReady();
        else lines.push(line);
      })
      .on("close", () => {
        resolve(lines);
      });
  });
  return { child, ready, reported };
}

function onDisk(root: string): string[] {
  const text = readFileSync(path.join(root, "team", "tasks.json"), "utf8");
  const list = parseSnapshot(JSON.parse(text))?.list;
  return list === undefined ? [] : subjects(list);
}

// faults: create-race-overwrites, lock-not-atomic-or-stale
test.each([2, 8])(
  "%i processes that create 200 tasks each lose one, or give an id twice",
  { timeout: 300_000 },
  async (count) => {
    const root = temporaryFolder();
    const workers = Array.from({ length: count }, (_, index) => startWorker(root, `w${index}`, 200));
    await Promise.all(workers.map(({ ready }) => ready));
    for (const { child } of workers) child.stdin?.write("go");
    const reported = (await Promise.all(workers.map((worker) => worker.reported))).flat();
    const byId = (line: string): number => Number(line.split(" ")[0]);
    expect(reported.sort((a, b) => byId(a) - byId(b))).toEqual(onDisk(root));
    expect(reported.map(byId)).toEqual(Array.from({ length: count * 200 }, (_, index) => index + 1));
    expect(readdirSync(path.join(root, "team"))).toEqual(["tasks.json"]);
  },
);

test(
  "a process that is killed in the middle loses what it was told is done, or stops the others",
  { timeout: 120_000 },
  async () => {
    const root = temporaryFolder();
    const [victim, other] = [startWorker(root, "victim", 100_000), startWorker(root, "other", 60)];
    await Promise.all([victim.ready, other.ready]);
    victim.child.stdin?.write("go");
    other.child.stdin?.write("go");
    const survivors = await other.reported;
    victim.child.kill("SIGKILL");
    const told = await victim.reported;
    expect(survivors).toHaveLength(60);
    const store = await openShared(createDesk(root));
    const { id } = await create(store, "after");
    const present = new Set(onDisk(root));
    expect([...survivors, ...told].filter((line) => !present.has(line))).toEqual([]);
    expect(Number(id)).toBe(present.size);
  },
);

// faults: torn-file (the full disk half)
test("a disk that fills up while writing destroys the old file, or leaves rubbish, or is called done", async () => {
  const root = temporaryFolder();
  mkdirSync(path.join(root, "team"));
  const file = path.join(root, "team", "tasks.json");
  const big = { id: "1", subject: "big", description: "x".repeat(16_000) };
  writeFileSync(file, JSON.stringify({ tasks: [big], highWaterMark: 1, revision: 1 }));
  const before = readFileSync(file, "utf8");
  // The kernel cuts every file of this process at 8 KiB: a write gets through half and then fails, as on a full disk.
  const child = spawn(
    "bash",
    ["-c", 'ulimit -f 8; trap "" XFSZ; exec "$0" "$@"', process.execPath, SCRIPT, root, "w", "1"],
    {
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let errors = "";
  let output = "";
  child.stderr.on("data", (data) => (errors += String(data)));
  child.stdout.on("data", (data) => {
    output += String(data);
    child.stdin.write("go");
  });
  await new Promise((resolve) => child.once("close", resolve));
  expect(errors).toMatch(/could not be written \(EFBIG\); nothing was changed/);
  expect(output).toBe("ready\n");
  expect(readFileSync(file, "utf8")).toBe(before);
  expect(readdirSync(path.join(root, "team"))).toEqual(["tasks.json"]);
});
