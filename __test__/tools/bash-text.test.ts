import { expect, test } from "vitest";
import { resolveConfig } from "../../src/config.ts";
import { bashDescription, bashGuidelines, bashSnippet } from "../../src/tools/bash/text.ts";

const shells = [undefined, { path: "/bin/bash", kind: "bash" }, { path: "/bin/sh", kind: "sh" }] as const;
const environments: Record<string, string>[] = [
  {},
  { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" },
  { PICC_BASH_ON_TIMEOUT: "background", PICC_BASH_NOTIFY: "0", PICC_BASH_TOOL_NAME: "Bash" },
  { BASH_DEFAULT_TIMEOUT_MS: "2147483647", BASH_MAX_OUTPUT_LENGTH: "150000" },
];

test.each(environments)("the description is too long, or promises what is turned off (%j)", (env) => {
  const { config } = resolveConfig(env, undefined, "");
  for (const shell of shells) {
    const text = bashDescription({ config, shell });
    expect(text.length).toBeLessThan(2_500);
    expect(text).toContain(`${config.defaultTimeoutMs} ms`);
    expect(text).toContain(`${config.maxTimeoutMs} ms`);
    expect(text).toContain(`${config.maxOutputChars} characters`);
    expect(text.includes("run_in_background")).toBe(config.backgroundEnabled);
    expect(text.includes("You are told when the task ends")).toBe(config.backgroundEnabled && config.notify);
    expect(text.includes("is not bash")).toBe(shell?.kind === "sh");
    // The one other tool of ours; pi's own are the user's to choose.
    for (const [word] of text.matchAll(/\b(?:Task[A-Z]\w+|Bash[A-Z]\w+|KillShell)\b/g)) expect(word).toBe("TaskStop");
  }
  expect(bashGuidelines({ config, shell: undefined }).some((line) => line.includes("run_in_background"))).toBe(
    config.backgroundEnabled,
  );
});

test("the one line of the system prompt promises a background that is turned off", () => {
  const snippet = (env: Record<string, string>) =>
    bashSnippet({ config: resolveConfig(env, undefined, "").config, shell: undefined });
  expect(snippet({})).toContain("background");
  expect(snippet({ CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" })).not.toContain("background");
});

test("the rules speak of a tool of another name", () => {
  const { config } = resolveConfig({ PICC_BASH_TOOL_NAME: "Bash" }, undefined, "");
  expect(bashGuidelines({ config, shell: undefined })[0]).toMatch(/^Use Bash with run_in_background/);
});
