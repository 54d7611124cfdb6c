import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeOldOutputs, RETENTION_MS } from "../../src/runs/retention.ts";

const nowMs = Date.now();
let root = "";
let base = "";

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "foreman-retention-"));
  base = path.join(root, "picc-bash");
  mkdirSync(base);
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** A file as old as given, in `<base>/<session>/tasks`. */
function output(session: string, name: string, ageMs: number): string {
  const folder = path.join(base, session, "tasks");
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, name);
  writeFileSync(file, "x");
  utimesSync(file, (nowMs - ageMs) / 1000, (nowMs - ageMs) / 1000);
  return file;
}

const OLD = RETENTION_MS + 60_000;
const YOUNG = RETENTION_MS - 60_000;

test("old output of another session stays, or young output goes", async () => {
  // never-cleaned
  const old = output("other", "la.output", OLD);
  const young = output("mine", "lb.output", YOUNG);
  expect(await removeOldOutputs({ base, liveOutputs: [], nowMs })).toEqual([old]);
  expect(existsSync(old)).toBe(false);
  expect(existsSync(young)).toBe(true);
  expect(existsSync(path.join(base, "other"))).toBe(false);
});

test("the log of a live, silent task is removed", async () => {
  const live = output("s", "la.output", OLD);
  await removeOldOutputs({ base, liveOutputs: [live], nowMs });
  expect(existsSync(live)).toBe(true);
});

test("a file of somebody else is removed", async () => {
  const registry = output("s", "registry.json", OLD);
  mkdirSync(path.join(base, "journal"));
  writeFileSync(path.join(base, "journal", "x"), "");
  await removeOldOutputs({ base, liveOutputs: [], nowMs });
  expect(existsSync(registry)).toBe(true);
  expect(existsSync(path.join(base, "journal", "x"))).toBe(true);
});

test("a link leads out of the folder", async () => {
  // predictable-log-symlink
  const victimFolder = path.join(root, "victim", "tasks");
  mkdirSync(victimFolder, { recursive: true });
  const victim = path.join(victimFolder, "lv.output");
  writeFileSync(victim, "precious");
  utimesSync(victim, (nowMs - OLD) / 1000, (nowMs - OLD) / 1000);
  symlinkSync(path.join(root, "victim"), path.join(base, "linked-session"));
  mkdirSync(path.join(base, "s"));
  symlinkSync(victimFolder, path.join(base, "s", "tasks"));
  output("t", "ly.output", YOUNG);
  symlinkSync(victim, path.join(base, "t", "tasks", "ll.output"));
  expect(await removeOldOutputs({ base, liveOutputs: [], nowMs })).toEqual([]);
  expect(existsSync(victim)).toBe(true);
  symlinkSync(path.join(root, "victim"), path.join(root, "linked-base"));
  expect(await removeOldOutputs({ base: path.join(root, "linked-base"), liveOutputs: [], nowMs })).toEqual([]);
});

test("an empty folder stays for ever, or one that is about to be used goes", async () => {
  const aged = path.join(base, "aged", "tasks");
  const fresh = path.join(base, "fresh", "tasks");
  for (const folder of [aged, fresh]) mkdirSync(folder, { recursive: true });
  utimesSync(aged, (nowMs - OLD) / 1000, (nowMs - OLD) / 1000);
  await removeOldOutputs({ base, liveOutputs: [], nowMs });
  expect(existsSync(path.join(base, "aged"))).toBe(false);
  expect(existsSync(fresh)).toBe(true);
});

test("a folder that is not there fails", async () => {
  expect(await removeOldOutputs({ base: path.join(root, "none"), liveOutputs: [], nowMs })).toEqual([]);
});

test("the record of a task outlives its output for ever, or that of a live task is removed", async () => {
  const old = output("a", "la.task.json", OLD);
  const request = output("a", "la.stop", OLD);
  const live = output("b", "lb.task.json", OLD);
  const liveOutputs = [path.join(base, "b", "tasks", "lb.output")];
  expect((await removeOldOutputs({ base, liveOutputs, nowMs })).sort()).toEqual([request, old].sort());
  expect(existsSync(live)).toBe(true);
});

test("the draft of a record that a killed pi has left keeps its folder for ever", async () => {
  const draft = output("a", "la.task.json.4711.new", OLD);
  const young = output("b", "lb.task.json.4711.new", YOUNG);
  const other = output("c", "lc.task.json.new", OLD);
  expect(await removeOldOutputs({ base, liveOutputs: [], nowMs })).toEqual([draft]);
  expect(existsSync(path.join(base, "a"))).toBe(false);
  expect([existsSync(young), existsSync(other)]).toEqual([true, true]);
});
