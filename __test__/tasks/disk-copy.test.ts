import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { DiskCopy } from "../../src/tasks/disk-copy.ts";
import { listOf } from "./list-builder.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test("what killed processes left stays for ever, or what a living one needs is removed", async () => {
  const root = temporaryFolder();
  const folder = path.join(root, "list");
  const id = "01234567-89ab-cdef-0123-456789abcdef";
  const names = { old: [`.tasks.json.${id}.tmp`, `lock-${id}`], kept: ["tasks.json", "lock", "notes", "lock-mine"] };
  mkdirSync(path.join(folder, "lock"), { recursive: true });
  mkdirSync(path.join(folder, `lock-${id}`));
  for (const name of [...names.old, ...names.kept]) {
    const file = path.join(folder, name);
    if (!name.startsWith("lock")) writeFileSync(file, "{}");
    else mkdirSync(file, { recursive: true });
    utimesSync(file, 0, 0);
  }
  writeFileSync(path.join(folder, ".tasks.json.fresh.tmp"), "");
  await new DiskCopy(root, "list").sweep();
  expect(readdirSync(folder).sort()).toEqual([...names.kept, ".tasks.json.fresh.tmp"].sort());
  await new DiskCopy(root, "none").sweep();
});

test("a folder that is not there yet makes the copy fail, or is open to others", async () => {
  const root = path.join(temporaryFolder(), "not", "there", "yet");
  const disk = new DiskCopy(root, "list");
  await disk.write(listOf("a"));
  // Windows keeps no such permission.
  if (process.platform !== "win32") expect(statSync(disk.folder).mode & 0o777).toBe(0o700);
  expect(await disk.read()).toEqual({ state: "unchanged" });
  expect(await new DiskCopy(root, "list").read()).toMatchObject({ state: "read", badRecords: 0 });
});

test("what another process wrote is taken for what was read before", async () => {
  const root = temporaryFolder();
  const [one, two] = [new DiskCopy(root, "list"), new DiskCopy(root, "list")];
  await one.write(listOf("a"));
  await two.write(listOf("b"));
  expect(await one.read()).toMatchObject({ state: "read", list: { tasks: [{ subject: "b" }] } });
  expect(await one.read()).toEqual({ state: "unchanged" });
});
