import { expect, test } from "vitest";
import { createListEncoder } from "../../src/tasks/list-encoding.ts";
import { EMPTY_LIST, type TaskList } from "../../src/tasks/task.ts";
import { encodeList } from "./encode-list.ts";
import { changed, listOf } from "./list-builder.ts";

test("a list longer than a chunk is written with parts of the list before it", () => {
  const long = listOf(...Array.from({ length: 300 }, (_, index) => `t${index}`));
  const steps: TaskList[] = [
    long,
    changed(long, "200", { subject: "changed" }),
    changed(long, "1", { status: "deleted" }),
    changed(long, "128", { addBlocks: ["129"] }),
    changed(long, "300", { status: "deleted" }),
    listOf("short"),
    EMPTY_LIST,
    long,
  ];
  const encoder = createListEncoder();
  for (const list of steps) {
    const text = Buffer.concat(encoder.encode(list)).toString();
    expect(text).toBe(encodeList(list));
    expect(JSON.parse(text)).toEqual(list);
  }
});
