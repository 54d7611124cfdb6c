// A clean home for one pi: it knows the scripted model and nothing of the person who runs the tests.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { randomUUID } from "node:crypto";

/** Carried by pi and by everything it starts that does not clear its environment. */
export const MARK_VARIABLE = "PI_TEST_MARK";

const GUARD_URL = new URL("./network-guard.mjs", import.meta.url).href;

/** What is taken over from the environment of the test run: how to find programs and how to print text. */
const KEPT_VARIABLES = ["PATH", "LANG", "LC_ALL", "USER", "LOGNAME"];
const KEPT_ON_WINDOWS = [
  // Which addon is under test, where it is none of this machine's own.
  "PI_FOREMAN_NATIVE",
  "SystemRoot",
  "ComSpec",
  "PATHEXT",
  "ProgramFiles",
  "ProgramFiles(x86)",
  "ProgramData",
];

export interface HomeOptions {
  modelUrl: string;
  modelIds: string[];
  /** Laid over the settings that make pi quiet and offline. */
  settings?: Record<string, unknown>;
  /** Laid over the clean environment. */
  env?: Record<string, string>;
  /** Files to be there at the start. Names start with `~/` or are relative to the working directory. */
  files?: Record<string, string>;
}

export class Home {
  /** Holds everything of this pi; removed at the end. */
  readonly root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "pi-test-")));
  readonly home = path.join(this.root, "home");
  readonly agentDir = path.join(this.home, ".pi", "agent");
  readonly cwd = path.join(this.root, "work");
  /** `os.tmpdir()` of pi. */
  readonly tmp = path.join(this.root, "tmp");
  readonly mark = randomUUID();
  readonly env: Record<string, string>;
  readonly #networkLog = path.join(this.root, "network.log");

  constructor(options: HomeOptions) {
    for (const folder of [this.agentDir, this.cwd, this.tmp]) mkdirSync(folder, { recursive: true });
    this.#writeJson("models.json", models(options));
    this.#writeJson("settings.json", { ...settings(options), ...options.settings });
    for (const [name, text] of Object.entries(options.files ?? {})) this.write(name, text);
    this.env = { ...keptEnvironment(), ...this.#ownEnvironment(), ...options.env };
  }

  /** Absolute path of `~/…`, or of a name relative to the working directory. */
  resolve(name: string): string {
    return name.startsWith("~/") ? path.join(this.home, name.slice(2)) : path.resolve(this.cwd, name);
  }

  write(name: string, text: string): void {
    mkdirSync(path.dirname(this.resolve(name)), { recursive: true });
    writeFileSync(this.resolve(name), text);
  }

  read(name: string): string {
    return readFileSync(this.resolve(name), "utf8");
  }

  exists(name: string): boolean {
    return existsSync(this.resolve(name));
  }

  /** One line for each attempt to reach something else than this machine. */
  networkAttempts(): string[] {
    return existsSync(this.#networkLog) ? readFileSync(this.#networkLog, "utf8").trim().split("\n") : [];
  }

  remove(): void {
    // Windows lets go of a folder a little after the last process in it has ended.
    rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  #writeJson(name: string, value: unknown): void {
    writeFileSync(path.join(this.agentDir, name), JSON.stringify(value, null, 2));
  }

  #ownEnvironment(): Record<string, string> {
    return {
      HOME: this.home,
      USERPROFILE: this.home,
      TMPDIR: this.tmp,
      TEMP: this.tmp,
      TMP: this.tmp,
      TERM: "xterm-256color",
      [MARK_VARIABLE]: this.mark,
      PI_OFFLINE: "1",
      PI_SKIP_VERSION_CHECK: "1",
      PI_TELEMETRY: "0",
      PI_TEST_NETWORK_LOG: this.#networkLog,
      NODE_OPTIONS: `--import=${GUARD_URL}`,
    };
  }
}

/** The folder of this repository's checkout. */
export const REPOSITORY_ROOT = fileURLToPath(new URL("../../../", import.meta.url));

function models({ modelUrl, modelIds }: HomeOptions): unknown {
  const provider = {
    baseUrl: modelUrl,
    api: "openai-completions",
    apiKey: "none",
    models: modelIds.map((id) => ({ id, contextWindow: 200_000, maxTokens: 8_000 })),
  };
  return { providers: { scripted: provider } };
}

function settings({ modelIds }: HomeOptions): Record<string, unknown> {
  return {
    defaultProvider: "scripted",
    defaultModel: modelIds[0],
    enableInstallTelemetry: false,
    enableAnalytics: false,
    quietStartup: true,
    collapseChangelog: true,
    retry: { enabled: false },
    cacheWarming: "off",
  };
}

function keptEnvironment(): Record<string, string> {
  const names = process.platform === "win32" ? [...KEPT_VARIABLES, ...KEPT_ON_WINDOWS] : KEPT_VARIABLES;
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
