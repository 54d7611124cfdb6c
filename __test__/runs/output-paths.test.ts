import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { expectedOutputPath, outputFolders, safePart, withSlashes } from "../../src/runs/output-paths.ts";

test("the output lies elsewhere", () => {
  expect(expectedOutputPath("01a2-b3", "labcdefgh")).toBe(
    withSlashes(path.join(tmpdir(), "picc-bash", "01a2-b3", "tasks", "labcdefgh.output")),
  );
});

// tmpdir-ignored
test("a TMPDIR that depends on the working folder leaves every command without a file", () => {
  // The second is what Windows looks at.
  for (const name of ["TMPDIR", "TEMP"]) vi.stubEnv(name, "scratch");
  expect(expectedOutputPath("s", "labcdefgh")).toBe(
    withSlashes(path.resolve("scratch", "picc-bash", "s", "tasks", "labcdefgh.output")),
  );
});

afterEach(() => {
  vi.unstubAllEnvs();
});

// prompt-cwd-backslash
test("a path of Windows breaks the command that it is put into, or one of Unix is changed", () => {
  expect(withSlashes("C:\\new\\test", "\\")).toBe("C:/new/test");
  expect(withSlashes("/tmp/a\\b", "/")).toBe("/tmp/a\\b");
});

// name-breaks-wrapper
test.each(["../../x", "a/b", "a\\b", ".", "..", "", "a'b c", "x".repeat(300), "call_1/2", "n\0l", "ä", "CON:"])(
  "the session id %j leaves its folder",
  (sessionId) => {
    const [folder = ""] = outputFolders(sessionId);
    expect(folder).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  },
);

test("two sessions share a folder", () => {
  const names = ["a/b", "a_b", "a.b", "a b", "x".repeat(300), "x".repeat(301), "", "_"];
  expect(new Set(names.map(safePart)).size).toBe(names.length);
});
