import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { configPath, expandTilde, loadConfig, resolveConfig, resolveTimeoutMs } from "../src/config.ts";

const FILE = "/home/x/config.json";

function resolve(env: Record<string, string>, settings?: unknown) {
  return resolveConfig(env, settings === undefined ? undefined : JSON.stringify(settings), FILE);
}

test("defaults are not the documented ones", () => {
  expect(resolve({})).toEqual({
    warnings: [],
    config: {
      surface: "classic",
      legacyBashTools: false,
      maxParallelAgents: 4,
      maxAgentDepth: 2,
      toolName: "bash",
      shell: undefined,
      env: {},
      defaultTimeoutMs: 120_000,
      maxTimeoutMs: 600_000,
      maxOutputChars: 30_000,
      backgroundEnabled: true,
      onTimeout: "stop",
      backgroundOnMessage: false,
      printModeWaitMs: 5_000,
      graceMs: 2_000,
      promoteKey: "ctrl+b",
      notify: true,
      outputCapBytes: 5 * 1024 ** 3,
    },
  });
});

test("the file beats the environment", () => {
  expect(resolve({ PICC_BASH_TOOL_NAME: "bash" }, { toolName: "Bash" }).config.toolName).toBe("bash");
  expect(resolve({}, { toolName: "Bash" }).config.toolName).toBe("Bash");
  expect(resolve({ PICC_BASH_ON_TIMEOUT: "background" }).config.onTimeout).toBe("background");
});

describe("a bad value is taken, or dropped without a word", () => {
  // timeout-env-ignored
  test.each<[string, Record<string, string>, unknown, RegExp]>([
    ["tool name", { PICC_BASH_TOOL_NAME: "shell" }, undefined, /PICC_BASH_TOOL_NAME is "shell".*"bash" or "Bash"/],
    [
      "default timeout",
      { BASH_DEFAULT_TIMEOUT_MS: "abc" },
      undefined,
      /BASH_DEFAULT_TIMEOUT_MS is "abc".*milliseconds/,
    ],
    ["negative timeout", { BASH_MAX_TIMEOUT_MS: "-1" }, undefined, /BASH_MAX_TIMEOUT_MS is "-1"/],
    ["timeout that no timer holds", { BASH_MAX_TIMEOUT_MS: "9999999999" }, undefined, /BASH_MAX_TIMEOUT_MS/],
    ["output limit", { BASH_MAX_OUTPUT_LENGTH: "0" }, undefined, /BASH_MAX_OUTPUT_LENGTH is "0"/],
    [
      "policy",
      {},
      { onTimeout: "later" },
      /onTimeout is "later" \(from \/home\/x\/config\.json\).*"stop" or "background"/,
    ],
    ["environment", {}, { env: { A: {} } }, /env\.A has to be a string/],
    ["environment as a list", {}, { env: ["A=b"] }, /env is \["A=b"\]/],
    ["name that no variable can have", {}, { env: { "A=B": "x" } }, /env\.A=B has to be/],
    ["misspelt setting", {}, { onTimout: "background" }, /\/home\/x\/config\.json has "onTimout".*no setting/],
    ["key", {}, { backgroundKey: "b" }, /backgroundKey is "b"/],
    ["grace", {}, { graceMs: "soon" }, /graceMs is "soon"/],
    ["list for an object", {}, [], /must hold one JSON object/],
  ])("%s", (_case, env, settings, warning) => {
    const { config, warnings } = resolve(env, settings);
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    expect(config).toEqual(resolve({}).config);
  });

  test("broken JSON", () => {
    const { config, warnings } = resolveConfig({}, "{ toolName: 'Bash' }", FILE);
    expect(warnings).toEqual([expect.stringMatching(/^pi-foreman: \/home\/x\/config\.json is not valid JSON/)]);
    expect(config.toolName).toBe("bash");
  });

  test("one bad variable for commands takes the others with it, or its value is shown to everybody", () => {
    const { config, warnings } = resolve({}, { env: { TOKEN: ["secret"], A: "b", GONE: null } });
    expect(config.env).toEqual({ A: "b", GONE: null });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).not.toContain("secret");
  });

  test("a key that editors and people write for themselves is complained about", () => {
    expect(resolve({}, { $schema: "x", "//": "why", "// toolName": "Bash" }).warnings).toEqual([]);
  });

  test("a bad variable hides a good setting", () => {
    const { config, warnings } = resolve({ PICC_BASH_TOOL_NAME: "x" }, { toolName: "Bash" });
    expect(config.toolName).toBe("Bash");
    expect(warnings).toHaveLength(1);
  });
});

test("a default above the maximum is cut down", () => {
  expect(resolve({ BASH_DEFAULT_TIMEOUT_MS: "900000" }).config.maxTimeoutMs).toBe(900_000);
  expect(resolve({ BASH_MAX_TIMEOUT_MS: "1000" }).config.maxTimeoutMs).toBe(120_000);
});

test("the schema shows another number than the one in force", () => {
  expect(resolve({ BASH_DEFAULT_TIMEOUT_MS: "7000.6", BASH_MAX_TIMEOUT_MS: "9000.2" }).config).toMatchObject({
    defaultTimeoutMs: 7001,
    maxTimeoutMs: 9000,
  });
});

test("an output limit above 150000 fills the context", () => {
  expect(resolve({ BASH_MAX_OUTPUT_LENGTH: "1000000" })).toMatchObject({
    config: { maxOutputChars: 150_000 },
    warnings: [],
  });
});

test.each(["1", "true", "YES", "on"])("background tasks stay on with %s", (value) => {
  expect(resolve({ CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: value }).config.backgroundEnabled).toBe(false);
});

test("background tasks go off with a word that means no", () => {
  expect(resolve({ CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "0" }).config.backgroundEnabled).toBe(true);
});

test("a file with a byte order mark is refused", () => {
  expect(resolveConfig({}, '\ufeff{"toolName":"Bash"}', FILE)).toMatchObject({
    config: { toolName: "Bash" },
    warnings: [],
  });
});

test("the key cannot be turned off", () => {
  expect(resolve({}, { backgroundKey: "none" }).config.promoteKey).toBeUndefined();
  expect(resolve({}, { backgroundKey: "Ctrl+Shift+G" }).config.promoteKey).toBe("ctrl+shift+g");
});

test("a named file that is missing goes unnoticed, or an absent one is complained about", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "foreman-config-"));
  try {
    const file = path.join(folder, "config.json");
    expect(loadConfig({ PICC_BASH_CONFIG_PATH: file }).warnings).toHaveLength(1);
    expect(loadConfig({ PI_CODING_AGENT_DIR: folder }).warnings).toEqual([]);
    writeFileSync(file, '{"notify":false}');
    expect(loadConfig({ PICC_BASH_CONFIG_PATH: file })).toMatchObject({ config: { notify: false }, warnings: [] });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the file is looked for elsewhere", () => {
  expect(configPath({ PI_CODING_AGENT_DIR: "/a" })).toBe(path.join("/a", "extensions", "picc-bash", "config.json"));
});

test.each([
  // timeout-unit-confusion
  [undefined, 120_000],
  [0, 120_000],
  [-5, 120_000],
  [Number.NaN, 120_000],
  [Number.POSITIVE_INFINITY, 120_000],
  [0.2, 1],
  [1.5, 2],
  [180_000, 180_000],
  [1e12, 600_000],
])("a timeout of %s hangs, or kills at once", (asked, timeoutMs) => {
  expect(resolveTimeoutMs(asked, { defaultTimeoutMs: 120_000, maxTimeoutMs: 600_000 })).toBe(timeoutMs);
});

test.each<[string, NodeJS.Platform, string]>([
  ["~\\scoop\\bash.exe", "win32", "C:\\Users\\x\\scoop\\bash.exe"],
  ["~/scoop/bash.exe", "win32", "C:\\Users\\x\\scoop\\bash.exe"],
  ["~", "linux", "/home/x"],
  ["~/bin/bash", "linux", "/home/x/bin/bash"],
  ["~\\bin", "linux", "~\\bin"],
  ["~other/bash", "linux", "~other/bash"],
])("%s on %s names another file than in the home folder", (file, platform, expected) => {
  expect(expandTilde(file, platform === "win32" ? "C:\\Users\\x" : "/home/x", platform)).toBe(expected);
});
