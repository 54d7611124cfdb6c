import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { environmentChanges } from "../../src/runs/environment.ts";

const host = { PATH: "/custom:/usr/bin", PI_CODING_AGENT_DIR: "/agent", PI_MODEL: "outer" };

test("a command hears nothing of its session, or hears of the outer one", () => {
  const facts = { sessionId: "s1", provider: "p", model: "m" };
  expect(environmentChanges(facts, {}, host)).toMatchObject({
    PI_SESSION_ID: "s1",
    PI_SESSION_FILE: null,
    PI_PROVIDER: "p",
    PI_MODEL: "m",
    PI_REASONING_LEVEL: null,
  });
  expect(environmentChanges(undefined, {}, host)["PI_MODEL"]).toBeNull();
});

test("the user's own setting is overruled", () => {
  expect(environmentChanges(undefined, { PI_MODEL: "mine", EDITOR: null }, host)).toMatchObject({
    PI_MODEL: "mine",
    EDITOR: null,
  });
});

test("pi's tools hide the user's, or are not found", () => {
  // path-snapshot-wrong
  expect(environmentChanges(undefined, {}, host)["PATH"]).toBe(`/custom:/usr/bin${delimiter}${join("/agent", "bin")}`);
  expect(
    environmentChanges(undefined, {}, { ...host, PATH: [join("/agent", "bin"), "/bin"].join(delimiter) }),
  ).not.toHaveProperty("PATH");
  expect(environmentChanges(undefined, {}, { ...host, PATH: "" })).not.toHaveProperty("PATH");
  expect(environmentChanges(undefined, {}, { Path: "C:\\x" })).toHaveProperty("Path");
});
