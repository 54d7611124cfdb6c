import { expect, test } from "vitest";
import { needsVerification } from "../../src/tasks/verification.ts";
import { EMPTY_LIST } from "../../src/tasks/task.ts";
import { changed, listOf } from "./list-builder.ts";

const done = (...subjects: string[]) =>
  subjects.reduce((list, _, index) => changed(list, String(index + 1), { status: "completed" }), listOf(...subjects));

test("the nudge comes for small, unfinished or verified work, or stays away from the rest", () => {
  expect(needsVerification(done("a", "b", "c"))).toBe(true);
  expect(needsVerification(done("a", "b"))).toBe(false);
  expect(needsVerification(changed(done("a", "b", "c"), "2", { status: "pending" }))).toBe(false);
  expect(needsVerification(done("a", "VERIFY it", "c"))).toBe(false);
  expect(needsVerification(EMPTY_LIST)).toBe(false);
});

test("hidden tasks count", () => {
  const hidden = { metadata: { _internal: true } };
  expect(needsVerification(changed(done("a", "b", "c"), "3", hidden))).toBe(false);
  const openButHidden = changed(changed(done("a", "b", "c", "d"), "4", { status: "pending" }), "4", hidden);
  expect(needsVerification(openButHidden)).toBe(true);
});
