import type {
  BoundaryResult,
  BoundaryState,
  ExtensionAPI,
  ExtensionContext,
  SessionShutdownEvent,
} from "@earendil-works/pi-coding-agent";
import { expandTilde, loadConfig, type Config } from "../config.ts";
import { loadNative, type Shell, type ShellChoice } from "../native.ts";
import { NOTIFICATION_TYPE, type NotificationMessage, type NotificationSink } from "../runs/notify.ts";
import { PrintHold } from "../runs/print-hold.ts";
import { moveAllToBackground, requestPromotionOfAll } from "../runs/promotion.ts";
import { guard } from "../runs/registry.ts";
import { runService, type RunService } from "../runs/service.ts";
import { stopAll } from "../runs/stop.ts";
import { cleanUpAfterOthers } from "../runs/upkeep.ts";
import { listCommands } from "../format/command-summary.ts";
import { CallFailures } from "../tools/call-failures.ts";
import type { BashTool } from "../tools/bash/execute.ts";
import { WorkingFolder } from "../tools/bash/working-folder.ts";
import { renderNotification } from "../tools/notification-render.ts";
import { offerRunningCommands } from "../ui/running-commands.ts";
import { matchesKey } from "../ui/terminal-text.ts";
import { bashDefinition, findClashes, taskStopDefinition, TASK_STOP_NAME } from "./bash/tool-definitions.ts";
import { warnOnce } from "./bash/warnings.ts";
import { drawUntilRegistered } from "./early-rows.ts";
import { isOneShot } from "./one-shot.ts";

/** At the end of pi everything has to be over within three seconds, however many tasks run. */
const QUIT_GRACE_MS = 1_000;
const QUIT_DEADLINE_MS = 2_500;
/** Old output is removed at the end too, if that is quick. */
const QUIT_CLEAN_UP_MS = 300;
/** Tasks that end together with the one that was waited for are told with it. */
const PRINT_BATCH_MS = 50;

/** pi entry point: bash and TaskStop. Called again for every session; throwing here would keep pi from starting. */
export default function bashExtension(pi: ExtensionAPI): void {
  guard(() => {
    const { config, warnings } = loadConfig();
    const native = loadNative();
    if (native.ok) new BashSession(pi, config, runService(native.addon)).register();
    pi.on("session_start", (_event, ctx) => {
      for (const warning of native.ok ? warnings : [...warnings, native.message]) warnOnce(warning, ctx);
    });
  });
}

/** One session's wiring between pi and the runs of this process. */
class BashSession {
  readonly #pi: ExtensionAPI;
  readonly #config: Config;
  readonly #service: RunService;
  readonly #failures = new CallFailures();
  readonly #printHold: PrintHold;
  readonly #tool: BashTool;
  #shell: ShellChoice | undefined;
  #toolsRegistered = false;
  #stopListening: (() => void) | undefined;

  constructor(pi: ExtensionAPI, config: Config, service: RunService) {
    this.#pi = pi;
    this.#config = config;
    this.#service = service;
    // Where no end is told, nothing would come of the wait.
    this.#printHold = new PrintHold(service.registry, config.notify ? config.printModeWaitMs : 0);
    this.#tool = {
      registry: service.registry,
      config,
      failures: this.#failures,
      handovers: service.handovers,
      folder: new WorkingFolder(),
      shell: () => this.#chooseShell(process.cwd()),
      commandPrefix: () => pi.getSettings().shellCommandPrefix,
      hasTaskStop: () => this.#hasTaskStop(),
    };
  }

  register(): void {
    const pi = this.#pi;
    pi.registerMessageRenderer<NotificationMessage["details"]>(NOTIFICATION_TYPE, (message, { outputPad }, theme) =>
      renderNotification(message.details, theme, outputPad),
    );
    pi.on("session_start", (_event, ctx) => {
      this.#start(ctx);
    });
    pi.on("session_shutdown", (event, ctx) => this.#end(event, ctx));
    pi.on("tool_result", (event) => (this.#failures.take(event.toolCallId) ? { isError: true } : undefined));
    pi.on("input", (event, ctx) => {
      if (event.streamingBehavior === undefined || !this.#config.backgroundOnMessage || !this.#config.backgroundEnabled)
        return;
      requestPromotionOfAll(this.#service.registry, "message", sessionIdOf(ctx));
    });
    this.#deliverNotices();
    // pi's own bash would read a timeout as seconds.
    const rows = () => [bashDefinition(this.#tool, { shell: undefined }), taskStopDefinition(this.#tool)];
    drawUntilRegistered(pi, rows, () => this.#toolsRegistered);
  }

  /** The moments at which a turn can take in what has ended meanwhile; an idle agent is woken by the notifier itself. */
  #deliverNotices(): void {
    const { notifier } = this.#service;
    this.#pi.on("turn_end", (event, ctx) => {
      this.#tool.folder.endTurn();
      return event.outcome === "completed" ? withNotice(event, notifier.take(sessionIdOf(ctx))) : undefined;
    });
    this.#pi.on("agent_before_settle", async (event, ctx) => {
      if (event.outcome !== "completed") return undefined;
      const sessionId = sessionIdOf(ctx);
      return withNotice(event, isOneShot(ctx) ? await this.#waitForNotice(sessionId) : notifier.take(sessionId));
    });
    this.#pi.on("agent_settled", (event, ctx) => {
      // Whoever has just stopped the agent does not want it to start again by itself.
      if (!isOneShot(ctx)) notifier.flush(sessionIdOf(ctx), !event.aborted);
    });
  }

  async #waitForNotice(sessionId: string): Promise<NotificationMessage | undefined> {
    const { notifier } = this.#service;
    for (;;) {
      const message = notifier.take(sessionId);
      if (message !== undefined) return message;
      if (!(await this.#printHold.waitForAnEnd(sessionId))) return undefined;
      await new Promise((resolve) => setTimeout(resolve, PRINT_BATCH_MS));
    }
  }

  #start(ctx: ExtensionContext): void {
    const { registry, notifier } = this.#service;
    notifier.setEnabled(this.#config.notify);
    notifier.attach(sessionIdOf(ctx), this.#sink(ctx));
    this.#shell = undefined;
    const { shell, warnings } = this.#chooseShell(ctx.cwd);
    for (const warning of warnings) warnOnce(`pi-foreman: ${warning}`, ctx);
    for (const clash of this.#registerTools(shell ?? undefined)) warnOnce(clash, ctx);
    this.#listenForKey(ctx);
    // For whoever lists what runs; it may be another extension.
    offerRunningCommands(() => registry.runningInBackground());
    void cleanUpAfterOthers(registry.addon);
  }

  /**
   * Now, not while the extension is loaded: pi does not start at all when two extensions have registered one name by
   * then, and only now the shell and the other tools are known, on which the text depends. Says who was first.
   */
  #registerTools(shell: Shell | undefined): string[] {
    const taskStop = taskStopDefinition(this.#tool);
    this.#pi.registerTool(taskStop);
    const bash = bashDefinition(this.#tool, { shell, hasTaskStop: this.#hasTaskStop() });
    this.#pi.registerTool(bash);
    this.#toolsRegistered = true;
    const ours = [bash, taskStop].map(({ name, description }) => [name, description] as const);
    return findClashes(this.#pi, new Map(ours));
  }

  #hasTaskStop(): boolean {
    try {
      return this.#pi.getActiveTools().includes(TASK_STOP_NAME);
    } catch {
      // The session is being replaced; an answer that is on its way must not fail because of its words.
      return true;
    }
  }

  async #end(event: SessionShutdownEvent, ctx: ExtensionContext): Promise<void> {
    const { registry, notifier } = this.#service;
    const sessionId = sessionIdOf(ctx);
    this.#stopListening?.();
    this.#stopListening = undefined;
    notifier.detach(sessionId);
    if (event.reason !== "quit") return;
    this.#service.quitting ||= notifier.sessionCount() === 0;
    // Another session of this process (an agent within the agent) keeps what is its own.
    const othersLive = notifier.sessionCount() > 0;
    const runs = registry.alive().filter((run) => !othersLive || run.sessionId === sessionId);
    if (runs.length > 0) {
      // Also what is left of a command that has ended.
      const background = runs.filter((run) => !run.foreground && (run.state === "running" || run.membersLeft));
      const left = await stopAll(registry, runs, Math.min(this.#config.graceMs, QUIT_GRACE_MS), QUIT_DEADLINE_MS);
      if (isOneShot(ctx) && background.length > 0) {
        process.stderr.write(
          `pi-foreman: stopped background tasks that were still running: ${listCommands(background)}\n`,
        );
      }
      if (left.length > 0 && ctx.mode !== "tui")
        process.stderr.write(`pi-foreman: still ending: ${listCommands(left)}\n`);
    }
    await Promise.race([
      cleanUpAfterOthers(registry.addon),
      new Promise((resolve) => setTimeout(resolve, QUIT_CLEAN_UP_MS).unref()),
    ]);
  }

  #sink(ctx: ExtensionContext): NotificationSink {
    const oneShot = isOneShot(ctx);
    return {
      // A one-shot session ends when it is idle; it is told while it is held.
      isIdle: () => !oneShot && ctx.isIdle(),
      send: (message, wake) => {
        this.#pi.sendMessage(message, wake ? { triggerTurn: true, deliverAs: "steer" } : { triggerTurn: false });
      },
      hasTaskStop: () => this.#hasTaskStop(),
      toast: (text, kind) => {
        if (ctx.hasUI) ctx.ui.notify(text, kind);
      },
    };
  }

  #chooseShell(cwd: string): ShellChoice {
    if (this.#shell === undefined) {
      const { shell } = this.#config;
      const { shellPath } = this.#pi.getSettings();
      this.#shell = this.#service.registry.addon.chooseShell({
        ...(shell !== undefined && { override: shell }),
        // As pi itself takes it.
        ...(shellPath !== undefined && { shellPath: expandTilde(shellPath) }),
        cwd,
      });
    }
    return this.#shell;
  }

  /** As terminal input, not as a shortcut: the key keeps its own meaning while no command runs. */
  #listenForKey(ctx: ExtensionContext): void {
    const { promoteKey, backgroundEnabled } = this.#config;
    if (ctx.mode !== "tui" || promoteKey === undefined || !backgroundEnabled) return;
    this.#stopListening?.();
    this.#stopListening = ctx.ui.onTerminalInput((data) => {
      if (!matchesKey(data, promoteKey as Parameters<typeof matchesKey>[1])) return undefined;
      let moved = 0;
      guard(() => {
        moved = moveAllToBackground(this.#service.registry);
      });
      return moved > 0 ? { consume: true } : undefined;
    });
  }
}

/**
 * The message as an entry of the session, heard with the next request. Not sent: a sent one waits in pi's queue, behind
 * what the person has typed, and is dropped with it.
 */
function withNotice(
  { entries }: Pick<BoundaryState, "entries">,
  message: NotificationMessage | undefined,
): BoundaryResult | undefined {
  if (message === undefined) return undefined;
  return { entries: [...entries, { type: "custom_message", ...message }], continue: true };
}

function sessionIdOf(ctx: ExtensionContext): string {
  return ctx.sessionManager.getSessionId();
}
