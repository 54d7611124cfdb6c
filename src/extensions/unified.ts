import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { homedir } from "node:os";
import type { AgentDefinition } from "../agents/definition.ts";
import { findDefinitions } from "../agents/find-definitions.ts";
import { addUsage } from "../agents/progress.ts";
import { removeOldWorkFolders } from "../agents/work-folder.ts";
import { agentFolder, expandTilde, loadConfig, type Config } from "../config.ts";
import { listCommands } from "../format/command-summary.ts";
import { loadNative } from "../native.ts";
import { requestPromotion } from "../runs/promotion.ts";
import { guard } from "../runs/registry.ts";
import { runService } from "../runs/service.ts";
import { CallFailures } from "../tools/call-failures.ts";
import type { TaskTool } from "../tools/unified-task/task-tool.ts";
import { showAgents } from "../ui/agent-view.ts";
import { UnifiedSession, unifiedService, type UnifiedService } from "../unified/session.ts";
import { findClashes } from "../tools/name-clashes.ts";
import { warnOnce } from "./bash/warnings.ts";
import { drawUntilRegistered } from "./early-rows.ts";
import { isOneShot } from "./one-shot.ts";
import { registerLegacyTools } from "./unified/legacy-tools.ts";
import { awaitDefinition, listDefinition, taskDefinition, terminateDefinition } from "./unified/tool-definitions.ts";

/** pi entry point: one surface for commands and agents. Called again for every session; throwing would keep pi from starting. */
export default function unifiedExtension(pi: ExtensionAPI): void {
  guard(() => {
    const { config } = loadConfig();
    if (config.surface === "classic" && !config.legacyBashTools) return;
    // Without the core there is nothing to run tasks on; the part for bash says so.
    const native = loadNative();
    if (native.ok) new UnifiedWiring(pi, config, unifiedService(runService(native.addon))).register();
  });
}

/** Wiring between pi and the tasks of one session after another. */
class UnifiedWiring {
  readonly #pi: ExtensionAPI;
  readonly #config: Config;
  readonly #parts: UnifiedService;
  readonly #tool: TaskTool;
  #session: UnifiedSession | undefined;
  #context: ExtensionContext | undefined;
  #toolsRegistered = false;
  #stopView: () => void = () => undefined;

  constructor(pi: ExtensionAPI, config: Config, parts: UnifiedService) {
    this.#pi = pi;
    this.#config = config;
    this.#parts = parts;
    this.#tool = {
      config,
      failures: new CallFailures(),
      session: () => {
        if (this.#session === undefined) throw new Error("no session has started");
        return this.#session;
      },
      shell: () => {
        const { shellPath } = pi.getSettings();
        return parts.service.registry.addon.chooseShell({
          ...(config.shell !== undefined && { override: config.shell }),
          ...(shellPath !== undefined && { shellPath: expandTilde(shellPath) }),
          cwd: process.cwd(),
        });
      },
      definitions: () => this.#definitions(),
      ownExtensions: () => this.#ownExtensions(),
    };
  }

  register(): void {
    const pi = this.#pi;
    if (this.#config.surface === "unified") {
      const rows = () => [taskDefinition(this.#tool, [], 0), ...this.#otherDefinitions()];
      drawUntilRegistered(pi, rows, () => this.#toolsRegistered);
    }
    pi.on("session_start", (_event, ctx) => this.#start(ctx));
    pi.on("session_shutdown", (event, ctx) => {
      if (event.reason === "quit") this.#dropQueue(ctx);
      this.#end();
    });
    // The part for bash may have registered it after us.
    pi.on("before_agent_start", () => {
      this.#hideBash();
    });
    // With whichever result comes next: an agent that has failed, was ended or is awaited by nobody has used tokens too.
    pi.on("tool_result", (event) => {
      const usage = event.parentToolCallId === undefined ? this.#session?.takeUsage() : undefined;
      return usage && { usage: addUsage(usage, event.usage) };
    });
    pi.on("input", (event) => {
      if (event.streamingBehavior === undefined) return;
      this.#session?.interruptWaits();
      this.#moveAgentsToBackground();
    });
  }

  /** Now, not while the extension is loaded: pi does not start when two extensions have registered one name by then. */
  async #registerTools(ctx: ExtensionContext): Promise<void> {
    if (this.#config.legacyBashTools) registerLegacyTools(this.#pi, this.#tool);
    if (this.#config.surface === "classic") return;
    const definitions = [...(await this.#definitions()).values()];
    const task = taskDefinition(this.#tool, definitions, this.#parts.ancestry.depth);
    const others = this.#otherDefinitions();
    this.#pi.registerTool(task);
    this.#pi.registerTool(others[0]);
    this.#pi.registerTool(others[1]);
    this.#pi.registerTool(others[2]);
    this.#toolsRegistered = true;
    this.#hideBash();
    const ours = [task, ...others].map(({ name, description }) => [name, description] as const);
    for (const clash of findClashes(this.#pi, new Map(ours))) warnOnce(clash, ctx);
  }

  #otherDefinitions() {
    return [awaitDefinition(this.#tool), listDefinition(this.#tool), terminateDefinition(this.#tool)] as const;
  }

  async #start(ctx: ExtensionContext): Promise<void> {
    this.#context = ctx;
    this.#session = new UnifiedSession(this.#parts, ctx.sessionManager.getSessionId(), this.#config.graceMs);
    this.#stopView = showAgents(this.#parts.pool, this.#session.sessionId, ctx);
    await this.#registerTools(ctx);
    void removeOldWorkFolders();
  }

  #end(): void {
    this.#stopView();
    this.#session?.interruptWaits();
    this.#session = undefined;
    this.#context = undefined;
  }

  /** Their turn will not come; whoever only sees the answer has to be told. */
  #dropQueue(ctx: ExtensionContext): void {
    if (this.#session === undefined) return;
    const { sessionId, parts } = this.#session;
    const dropped = parts.pool.dropAllQueued(sessionId, "pi has ended before the agent's turn came.");
    if (dropped.length === 0 || !isOneShot(ctx)) return;
    const list = listCommands(dropped.map((task) => ({ id: task.runId, command: `${task.agentType}: ${task.title}` })));
    process.stderr.write(`pi-foreman: dropped agents that were still waiting for their turn: ${list}\n`);
  }

  /** pi declares bash by default, whoever has registered it, and its own one stays beside a tool that is called Bash. */
  #hideBash(): void {
    if (this.#config.surface !== "unified") return;
    const hidden = ["bash", this.#config.toolName];
    const active = this.#pi.getActiveTools();
    const shown = active.filter((name) => !hidden.includes(name));
    if (shown.length < active.length) this.#pi.setActiveTools(shown);
  }

  #moveAgentsToBackground(): void {
    const { registry } = this.#parts.service;
    for (const run of registry.inForeground()) {
      if (run.task?.kind === "agent" && run.sessionId === this.#session?.sessionId) {
        requestPromotion(registry, run, "message");
      }
    }
  }

  #definitions(): Promise<ReadonlyMap<string, AgentDefinition>> {
    const ctx = this.#context;
    return findDefinitions({
      agentFolder: agentFolder(process.env),
      cwd: ctx?.cwd ?? process.cwd(),
      projectTrusted: ctx?.isProjectTrusted() ?? false,
      homeFolder: homedir(),
    });
  }

  /** Where these tools come from: a child that is not told finds only what is installed. */
  #ownExtensions(): string[] {
    const names = new Set(["task", this.#config.toolName, "TaskCreate"]);
    const paths = this.#pi.getAllTools().flatMap((tool) => (names.has(tool.name) ? [tool.sourceInfo.path] : []));
    return [...new Set(paths)].filter((file) => file.startsWith("/") || /^[A-Za-z]:[\\/]/.test(file));
  }
}
