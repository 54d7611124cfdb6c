import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/** What timers in Node and in the core can hold. */
export const MAX_TIMER_MS = 2_147_483_647;
const FALLBACK_DEFAULT_TIMEOUT_MS = 120_000;
const FALLBACK_MAX_TIMEOUT_MS = 600_000;
const FALLBACK_MAX_OUTPUT_CHARS = 30_000;
/** A result above this would fill a model's context with one call. */
const MAX_OUTPUT_CHARS_LIMIT = 150_000;
const FALLBACK_PRINT_MODE_WAIT_MS = 5_000;
const FALLBACK_GRACE_MS = 2_000;
const MAX_GRACE_MS = 60_000;
const FALLBACK_PROMOTE_KEY = "ctrl+b";
/** 5 GB as its users write it. */
const FALLBACK_OUTPUT_CAP_BYTES = 5 * 1024 ** 3;

const FALLBACK_MAX_PARALLEL_AGENTS = 4;
/** Each is a pi of its own, with a model's requests behind it. */
const MAX_PARALLEL_AGENTS_LIMIT = 64;
const FALLBACK_MAX_AGENT_DEPTH = 2;
const MAX_AGENT_DEPTH_LIMIT = 10;

/** Which tools the model is offered: bash and TaskStop, the four for all kinds of tasks, or both. */
export type Surface = "classic" | "unified" | "all";

/** All settings in force, each valid. */
export interface Config {
  surface: Surface;
  /** Old names of some of the unified tools are offered too. */
  legacyBashTools: boolean;
  /** Sub-agents of one session that run at the same time; more wait. */
  maxParallelAgents: number;
  /** Generations below the first session that may be sub-agents. 0: none. */
  maxAgentDepth: number;
  toolName: "bash" | "Bash";
  /** A shell asked for by the user, before pi's own setting and the search. */
  shell: string | undefined;
  /** Laid over everything else in the environment of a command; `null` removes a name. */
  env: Record<string, string | null>;
  defaultTimeoutMs: number;
  maxTimeoutMs: number;
  maxOutputChars: number;
  backgroundEnabled: boolean;
  onTimeout: "stop" | "background";
  /** A message queued while a command runs moves the command to the background. */
  backgroundOnMessage: boolean;
  printModeWaitMs: number;
  /** TERM to KILL. */
  graceMs: number;
  /** Key that moves running commands to the background; undefined: none. */
  promoteKey: string | undefined;
  /** Tell the model when a background task ends. */
  notify: boolean;
  outputCapBytes: number;
}

export interface LoadedConfig {
  config: Config;
  /** One line for each bad value: its name, the value, and what is accepted. */
  warnings: string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads environment and config.json. Never throws: a bad value costs a warning and reads as if it were not there. */
export function loadConfig(env: Environment = process.env): LoadedConfig {
  const file = configPath(env);
  let text: string | undefined;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!missing || env["PICC_BASH_CONFIG_PATH"]) {
      const loaded = resolveConfig(env, undefined, file);
      const reason = error instanceof Error ? error.message : String(error);
      loaded.warnings.push(`pi-foreman: ${file} could not be read (${reason}); its settings are not in force.`);
      return loaded;
    }
  }
  return resolveConfig(env, text, file);
}

/** Path of config.json: `PICC_BASH_CONFIG_PATH`, or its place in pi's folder. */
export function configPath(env: Environment): string {
  const override = env["PICC_BASH_CONFIG_PATH"];
  return override ? expandTilde(override) : path.join(agentFolder(env), "extensions", "picc-bash", "config.json");
}

/** pi's own folder, as pi finds it. */
export function agentFolder(env: Environment): string {
  const override = env["PI_CODING_AGENT_DIR"];
  return override ? expandTilde(override) : path.join(homedir(), ".pi", "agent");
}

/** The path with the home folder for a leading `~`; on Windows also before a `\`. */
export function expandTilde(
  file: string,
  home: string = homedir(),
  platform: NodeJS.Platform = process.platform,
): string {
  const isWindows = platform === "win32";
  const isBelowHome = file === "~" || file.startsWith("~/") || (isWindows && file.startsWith("~\\"));
  return isBelowHome ? (isWindows ? path.win32 : path.posix).join(home, file.slice(1)) : file;
}

/** Settings from an environment and the text of a config.json. Environment beats file beats default. */
export function resolveConfig(env: Environment, fileText: string | undefined, file: string): LoadedConfig {
  const warnings: string[] = [];
  const settings = parseFile(fileText, file, warnings);
  const known = new Set<string>();

  function pick<Value>(
    key: string,
    variable: string | undefined,
    accepted: string,
    read: Reader<Value>,
    fallback: Value,
  ): Value {
    known.add(key);
    const fromEnv = variable === undefined ? undefined : env[variable];
    if (variable !== undefined && fromEnv !== undefined && fromEnv !== "") {
      const value = read(fromEnv);
      if (value !== undefined) return value;
      warnings.push(warning(variable, fromEnv, accepted, "the environment"));
    }
    if (Object.hasOwn(settings, key) && settings[key] !== null) {
      const value = read(settings[key]);
      if (value !== undefined) return value;
      warnings.push(warning(key, settings[key], accepted, file));
    }
    return fallback;
  }

  const timer = `a number of milliseconds from 1 to ${MAX_TIMER_MS}`;
  const readTimeout = numberFrom(1, MAX_TIMER_MS);
  // Whole, as they are shown to the model.
  const defaultTimeoutMs = Math.round(
    pick("defaultTimeoutMs", "BASH_DEFAULT_TIMEOUT_MS", timer, readTimeout, FALLBACK_DEFAULT_TIMEOUT_MS),
  );
  const maxTimeoutMs = Math.round(
    pick("maxTimeoutMs", "BASH_MAX_TIMEOUT_MS", timer, readTimeout, FALLBACK_MAX_TIMEOUT_MS),
  );
  const maxOutputChars = pick(
    "maxOutputLength",
    "BASH_MAX_OUTPUT_LENGTH",
    `a number of characters from 1 to ${MAX_OUTPUT_CHARS_LIMIT}`,
    numberFrom(1, Number.MAX_SAFE_INTEGER),
    FALLBACK_MAX_OUTPUT_CHARS,
  );
  const config: Config = {
    surface: pick(
      "surface",
      "PICC_TOOL_SURFACE",
      '"classic", "unified" or "all"',
      oneOf("classic", "unified", "all"),
      "classic",
    ),
    legacyBashTools: pick("legacyBashTools", undefined, "true or false", readFlag, false),
    maxParallelAgents: pick(
      "maxParallelAgents",
      undefined,
      `a whole number from 1 to ${MAX_PARALLEL_AGENTS_LIMIT}`,
      wholeNumberFrom(1, MAX_PARALLEL_AGENTS_LIMIT),
      FALLBACK_MAX_PARALLEL_AGENTS,
    ),
    maxAgentDepth: pick(
      "maxAgentDepth",
      undefined,
      `a whole number from 0 to ${MAX_AGENT_DEPTH_LIMIT}`,
      wholeNumberFrom(0, MAX_AGENT_DEPTH_LIMIT),
      FALLBACK_MAX_AGENT_DEPTH,
    ),
    toolName: pick("toolName", "PICC_BASH_TOOL_NAME", '"bash" or "Bash"', oneOf("bash", "Bash"), "bash"),
    shell: pick<string | undefined>(
      "shell",
      process.platform === "win32" ? "PICC_BASH_PATH" : "PICC_BASH_SHELL",
      "the path of a shell",
      readText,
      undefined,
    ),
    env: readEnvironment(pick("env", undefined, "an object of strings (null removes a name)", readRecord, {}), (name) =>
      warnings.push(`pi-foreman: env.${name} has to be a string, or null to remove it (from ${file}). It is ignored.`),
    ),
    defaultTimeoutMs,
    maxTimeoutMs: Math.max(maxTimeoutMs, defaultTimeoutMs),
    maxOutputChars: Math.min(Math.floor(maxOutputChars), MAX_OUTPUT_CHARS_LIMIT),
    backgroundEnabled: !isYes(env["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"]),
    onTimeout: pick("onTimeout", "PICC_BASH_ON_TIMEOUT", '"stop" or "background"', readOnTimeout, "stop"),
    backgroundOnMessage: pick("backgroundOnMessage", undefined, "true or false", readFlag, false),
    printModeWaitMs: pick(
      "printModeWaitMs",
      undefined,
      `a number of milliseconds from 0 to ${MAX_TIMER_MS}`,
      numberFrom(0, MAX_TIMER_MS),
      FALLBACK_PRINT_MODE_WAIT_MS,
    ),
    graceMs: pick(
      "graceMs",
      undefined,
      `a number of milliseconds from 0 to ${MAX_GRACE_MS}`,
      numberFrom(0, MAX_GRACE_MS),
      FALLBACK_GRACE_MS,
    ),
    promoteKey: pick<string | undefined>(
      "backgroundKey",
      undefined,
      'a key such as "ctrl+b", or "none"',
      readKey,
      FALLBACK_PROMOTE_KEY,
    ),
    notify: pick("notify", "PICC_BASH_NOTIFY", "1 or 0", readFlag, true),
    outputCapBytes: pick(
      "outputCapBytes",
      "PICC_BASH_OUTPUT_CAP_BYTES",
      "a number of bytes, at least 1",
      numberFrom(1, Number.MAX_SAFE_INTEGER),
      FALLBACK_OUTPUT_CAP_BYTES,
    ),
  };
  if (config.promoteKey === "none") config.promoteKey = undefined;
  for (const key of Object.keys(settings).filter((name) => !known.has(name) && !isRemark(name))) {
    warnings.push(`pi-foreman: ${file} has ${JSON.stringify(key).slice(0, 100)}, which is no setting. It is ignored.`);
  }
  return { config, warnings };
}

type Reader<Value> = (raw: unknown) => Value | undefined;

function parseFile(text: string | undefined, file: string, warnings: string[]): Record<string, unknown> {
  if (text === undefined || text.trim() === "") return {};
  try {
    // Editors on Windows put a byte order mark in front.
    const parsed: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    if (isRecord(parsed)) return parsed;
    warnings.push(`pi-foreman: ${file} must hold one JSON object; its settings are not in force.`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warnings.push(`pi-foreman: ${file} is not valid JSON (${reason}); its settings are not in force.`);
  }
  return {};
}

function warning(name: string, value: unknown, accepted: string, source: string): string {
  const shown = JSON.stringify(value).slice(0, 100);
  return `pi-foreman: ${name} is ${shown} (from ${source}); accepted is ${accepted}. The value is ignored.`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What JSON has instead of comments. */
function isRemark(key: string): boolean {
  return key.startsWith("$") || key.startsWith("//");
}

function isYes(value: string | undefined): boolean {
  return value !== undefined && /^(?:1|true|yes|on)$/i.test(value.trim());
}

function numberFrom(low: number, high: number): Reader<number> {
  return (raw) => {
    const number = typeof raw === "string" && /^\s*\d+(?:\.\d+)?\s*$/.test(raw) ? Number(raw) : raw;
    return typeof number === "number" && Number.isFinite(number) && number >= low && number <= high
      ? number
      : undefined;
  };
}

function wholeNumberFrom(low: number, high: number): Reader<number> {
  const read = numberFrom(low, high);
  return (raw) => {
    const number = read(raw);
    return number !== undefined && Number.isInteger(number) ? number : undefined;
  };
}

function oneOf<Value extends string>(...values: Value[]): Reader<Value> {
  return (raw) => values.find((value) => value === raw);
}

function readText(raw: unknown): string | undefined {
  return typeof raw === "string" && raw.trim() !== "" && !raw.includes("\0") ? expandTilde(raw) : undefined;
}

function readFlag(raw: unknown): boolean | undefined {
  if (typeof raw === "boolean") return raw;
  const text = String(raw).trim().toLowerCase();
  if (["1", "true", "yes", "on"].includes(text)) return true;
  return ["0", "false", "no", "off"].includes(text) ? false : undefined;
}

function readOnTimeout(raw: unknown): Config["onTimeout"] | undefined {
  // "kill" is what older versions wrote for "stop".
  return raw === "kill" ? "stop" : oneOf("stop", "background")(raw);
}

function readKey(raw: unknown): string | undefined {
  if (typeof raw !== "string") return undefined;
  const key = raw.trim().toLowerCase();
  return /^(?:none|(?:(?:ctrl|alt|shift|super)\+)+(?:[a-z0-9]|[-=[\]\\;',./`]|space|tab|enter|up|down|left|right|home|end)|f(?:[1-9]|1[0-2]))$/.test(
    key,
  )
    ? key
    : undefined;
}

function readRecord(raw: unknown): Record<string, unknown> | undefined {
  return isRecord(raw) ? raw : undefined;
}

/** The entries that can be variables; of each other one only the name is told, since its value may be a secret. */
function readEnvironment(raw: Record<string, unknown>, refuse: (name: string) => void): Record<string, string | null> {
  const env: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(raw)) {
    const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    const isUsable = text === null || (typeof text === "string" && !text.includes("\0"));
    if (isUsable && /^[^=\0]+$/.test(name)) env[name] = text;
    else refuse(name);
  }
  return env;
}

/**
 * The timeout of one call. Not given, not finite or not positive means the default.
 *
 * Units: milliseconds, whole, from 1 to the maximum in force.
 */
export function resolveTimeoutMs(
  asked: number | undefined,
  config: Pick<Config, "defaultTimeoutMs" | "maxTimeoutMs">,
): number {
  const wanted = asked !== undefined && Number.isFinite(asked) && asked > 0 ? asked : config.defaultTimeoutMs;
  return Math.min(Math.max(Math.round(wanted), 1), config.maxTimeoutMs);
}
