// A person's pi with a package manager and a registry: installs, starts, updates and removes the package as a person does.
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { MARK_VARIABLE } from "../pi/harness/home.ts";
import { canSeeProcesses, FAILURE_BOUND_MS, forceEnd, type PiRpc, waitForNone } from "../pi/harness/index.ts";
import { PiRpc as RpcProcess } from "../pi/harness/pi-rpc.ts";
import { setStage, type Stage } from "../pi/harness/pi-under-test.ts";
import { processesWithVariable } from "../pi/harness/processes.ts";
import { readSessions } from "../pi/harness/session-files.ts";
import { toolResults, type ToolResult } from "../pi/harness/transcript.ts";
import type { Turn } from "../pi/harness/turn.ts";
import { type Ended, folderForPath, type PackageManager, runManager, runNode } from "./package-managers.ts";
import type { LocalRegistry } from "./registry.ts";

/** What one prompt gave. */
export interface Answered extends Ended {
  results: ToolResult[];
  /** Names of the tools that the model was offered. */
  tools: string[];
}

export class Installation {
  readonly #stage: Stage;
  readonly #manager: PackageManager;
  readonly #managerEnv: Record<string, string>;

  private constructor(stage: Stage, manager: PackageManager, managerEnv: Record<string, string>) {
    this.#stage = stage;
    this.#manager = manager;
    this.#managerEnv = managerEnv;
  }

  /** A clean home; `npmrc` is the person's own settings of npm. */
  static async create(manager: PackageManager, registry: LocalRegistry, npmrc = ""): Promise<Installation> {
    const stage = await setStage({
      script: [],
      ...(manager.command === "pnpm" && { settings: { npmCommand: ["pnpm"] } }),
    });
    const { home } = stage;
    home.write("~/.npmrc", npmrc);
    const managerEnv = {
      ...home.env,
      PATH: `${folderForPath(manager, path.join(home.root, "bin"))}${path.delimiter}${home.env["PATH"] ?? ""}`,
      npm_config_registry: registry.url,
      npm_config_cache: path.join(home.root, "npm-cache"),
      npm_config_store_dir: path.join(home.root, "pnpm-store"),
      npm_config_update_notifier: "false",
      PI_OFFLINE: "",
    };
    const installation = new Installation(stage, manager, managerEnv);
    onTestFinished(async () => {
      await stage.model.stop();
      // A pi that was started has done the rest.
      if (!existsSync(home.root)) return;
      const look = () => (canSeeProcesses ? processesWithVariable(MARK_VARIABLE, home.mark) : []);
      const left = await waitForNone(look, FAILURE_BOUND_MS);
      left.forEach(forceEnd);
      const attempts = home.networkAttempts();
      home.remove();
      expect({ left, attempts }).toEqual({ left: [], attempts: [] });
    });
    return installation;
  }

  /** The project that pi keeps its packages in. */
  get packages(): string {
    return path.join(this.#stage.home.agentDir, "npm");
  }

  get mainPackage(): string {
    return path.join(this.packages, "node_modules/pi-foreman");
  }

  /** Of our packages, those that are there, wherever the package manager keeps them. */
  installedNames(): string[] {
    const modules = path.join(this.packages, "node_modules");
    const inStore = path.join(modules, ".pnpm/node_modules");
    const names = [modules, inStore].flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []));
    return [...new Set(names.filter((name) => name.startsWith("pi-foreman")))].sort();
  }

  installedVersion(): string {
    const manifest = readFileSync(path.join(this.mainPackage, "package.json"), "utf8");
    return (JSON.parse(manifest) as { version: string }).version;
  }

  /** Every file and folder below the packages' project, with its mode and when it was changed last. */
  installedFiles(): string[] {
    return readdirSync(this.packages, { recursive: true, encoding: "utf8" })
      .map((name) => {
        const { mode, mtimeMs } = lstatSync(path.join(this.packages, name));
        return `${name} ${mode.toString(8)} ${mtimeMs}`;
      })
      .sort();
  }

  /** The one installed file of this name, where it really lies. */
  find(fileName: string): string {
    const names = readdirSync(this.packages, { recursive: true, encoding: "utf8" });
    const found = new Set(
      names
        .filter((name) => path.basename(name) === fileName)
        .map((name) => realpathSync(path.join(this.packages, name))),
    );
    const [file] = found;
    if (file === undefined || found.size > 1) throw new Error(`${found.size} files are named ${fileName}`);
    return file;
  }

  /** Changes fields of the package.json of the packages' project. */
  changeProject(fields: Record<string, unknown>): void {
    const file = path.join(this.packages, "package.json");
    const manifest = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify({ ...manifest, ...fields }, null, 2));
  }

  makeReadOnly(): void {
    const files = readdirSync(this.packages, { recursive: true, encoding: "utf8" });
    const change = (from: number, to: number): void => {
      for (const name of ["", ...files]) {
        const file = path.join(this.packages, name);
        const { mode } = lstatSync(file);
        chmodSync(file, (mode & ~from) | to);
      }
    };
    change(0o222, 0);
    // Its owner has to be able to remove it.
    onTestFinished(() => {
      if (existsSync(this.packages)) change(0, 0o200);
    });
  }

  /** `pi install …`, `pi update`, `pi remove …`; fails unless pi says that it went well. */
  async pi(...args: string[]): Promise<Ended> {
    const [cli = ""] = this.#stage.piArgs;
    const ended = await runNode([cli, ...args], { cwd: this.#stage.home.cwd, env: this.#managerEnv });
    if (ended.code !== 0) throw new Error(`pi ${args.join(" ")} failed:\n${ended.stdout}\n${ended.stderr}`);
    return ended;
  }

  /** The package manager itself, in the project that pi keeps its packages in. */
  async manage(...args: string[]): Promise<Ended> {
    return runManager(this.#manager, args, { cwd: this.packages, env: this.#managerEnv });
  }

  write(name: string, content: string): void {
    this.#stage.home.write(name, content);
  }

  /** One prompt to pi as it is installed now, and its end. */
  async ask(turns: Turn[]): Promise<Answered> {
    const { model, home, piArgs } = this.#stage;
    const before = model.requests.length;
    model.push(turns);
    const ended = await runNode([...piArgs, "-p", "go"], { cwd: home.cwd, env: home.env });
    const requests = model.requests.slice(before);
    const results = toolResults(requests, readSessions(home.agentDir)).filter((result) => result.seenByModel);
    return { ...ended, results, tools: requests[0]?.tools.map((tool) => tool.name) ?? [] };
  }

  /** pi as it is installed now, to be driven. Its end takes the home with it. */
  start(turns: Turn[]): PiRpc {
    this.#stage.model.push(turns);
    const pi = new RpcProcess(this.#stage);
    onTestFinished(async () => {
      if (!pi.isStopped) await pi.stop();
    });
    return pi;
  }
}
