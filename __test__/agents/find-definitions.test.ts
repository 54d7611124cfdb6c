import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findDefinitions } from "../../src/agents/find-definitions.ts";
import { temporaryFolder } from "../tasks/temporary-folder.ts";

function define(folder: string, description: string): void {
  const agents = path.join(folder, ".pi", "agents");
  mkdirSync(agents, { recursive: true });
  writeFileSync(path.join(agents, "a.md"), `---\nname: explore\ndescription: ${description}\n---\nHi\n`);
}

/** What `explore` is in this folder, once its project is trusted. */
async function explorerIn(cwd: string, homeFolder: string): Promise<string | undefined> {
  mkdirSync(cwd, { recursive: true });
  const places = { agentFolder: path.join(homeFolder, "none"), cwd, projectTrusted: true, homeFolder };
  return (await findDefinitions(places)).get("explore")?.description;
}

test("a definition of the project is not found from a folder below its top, or a nearer one is passed over", async () => {
  const top = temporaryFolder();
  mkdirSync(path.join(top, ".git"));
  define(top, "of the project");
  expect(await explorerIn(path.join(top, "a/b"), "/none")).toBe("of the project");
  define(path.join(top, "a"), "nearer");
  expect(await explorerIn(path.join(top, "a/b"), "/none")).toBe("nearer");
});

test("a definition that lies above the project replaces a built-in agent", async () => {
  const above = temporaryFolder();
  define(above, "of somebody else");
  const repository = path.join(above, "repository");
  mkdirSync(path.join(repository, ".git"), { recursive: true });
  expect(await explorerIn(path.join(repository, "a"), "/none")).toContain("Finds things out");
  expect(await explorerIn(path.join(above, "plain"), "/none")).toContain("Finds things out");
  const home = path.join(above, "home");
  expect(await explorerIn(path.join(home, "plain"), home)).toContain("Finds things out");
  define(home, "of the person");
  expect(await explorerIn(path.join(home, "plain"), home)).toBe("of the person");
});

// Only root can give a folder away.
test.runIf(process.getuid?.() === 0)("a definition in a folder of another user replaces a built-in agent", async () => {
  const top = temporaryFolder();
  mkdirSync(path.join(top, ".git"));
  define(top, "of somebody else");
  chownSync(path.join(top, ".pi", "agents"), 1234, 1234);
  const cwd = path.join(top, "a");
  expect(await explorerIn(cwd, "/none")).toContain("Finds things out");
  // A container: the whole project belongs to the user outside.
  chownSync(cwd, 1234, 1234);
  expect(await explorerIn(cwd, "/none")).toBe("of somebody else");
});
