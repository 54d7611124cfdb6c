import { randomUUID } from "node:crypto";
import type { AgentToolResult, AgentToolUpdateCallback, ExtensionToolContext } from "@earendil-works/pi-coding-agent";
import { ancestryOfChild } from "../../agents/ancestry.ts";
import type { AgentTask } from "../../agents/agent-task.ts";
import { childArguments, childScript, type ParentFacts } from "../../agents/child-arguments.ts";
import type { AgentDefinition } from "../../agents/definition.ts";
import type { AgentLaunch } from "../../agents/pool.ts";
import type { AgentProgress } from "../../agents/progress.ts";
import type { AgentResult } from "../../agents/result.ts";
import { WorkFolder } from "../../agents/work-folder.ts";
import { MAX_TIMER_MS } from "../../config.ts";
import { movedNote, waitNote, type TaskAnswer } from "../../format/task-answer.ts";
import { describeAgentProgress, formatAgentReport } from "../../format/task-report.ts";
import { environmentChanges } from "../../runs/environment.ts";
import { waitForAnswer } from "../../runs/foreground.ts";
import { adopt, requestPromotion } from "../../runs/promotion.ts";
import type { Run } from "../../runs/run.ts";
import { startRun } from "../../runs/start.ts";
import { whenAborted } from "../../runs/when-aborted.ts";
import type { TaskRequest } from "../../schema/unified-task.ts";
import type { UnifiedSession } from "../../unified/session.ts";
import { jsonResult } from "../json-result.ts";
import type { TaskTool } from "./task-tool.ts";

type AgentRequest = Extract<TaskRequest, { kind: "agent" }>;
export type AgentContext = Pick<
  ExtensionToolContext,
  "cwd" | "model" | "thinkingLevel" | "isProjectTrusted" | "hasPendingMessages"
>;

/** Where pi was started; a session in another folder changes the process's own. */
const START_FOLDER = process.cwd();

/** While an agent is waited for, its row carries how far it is. */
export type AgentDetails = TaskAnswer & { progress?: AgentProgress };

/**
 * Starts a sub-agent, or queues it, and waits for its report unless it is to run in the background.
 *
 * Errors: throws for an unknown type, too deep a nesting, and for an agent that ended without a report.
 */
export async function runAgent(
  tool: TaskTool,
  request: AgentRequest,
  signal: AbortSignal | undefined,
  onUpdate: AgentToolUpdateCallback | undefined,
  context: AgentContext,
): Promise<AgentToolResult<TaskAnswer>> {
  const session = tool.session();
  const { pool, ancestry } = session.parts;
  if (ancestry.depth >= tool.config.maxAgentDepth) {
    throw new Error(
      `task: an agent at depth ${ancestry.depth + 1} is not allowed, maxAgentDepth is ${tool.config.maxAgentDepth}. Do the work here.`,
    );
  }
  const definition = withOurTools(await findDefinition(tool, request.subagentType), tool);
  const childSessionId = randomUUID();
  const launch = prepareLaunch(tool, session, { request, definition, childSessionId, context });
  const { title } = request;
  const task = pool.submit(
    { sessionId: session.sessionId, childSessionId, title, agentType: definition.name, isAwaited: !request.background },
    launch,
    tool.config.maxParallelAgents,
  );
  const taskId = `agent:${task.runId}`;
  if (request.background) {
    if (task.result !== undefined) return answerOf(task, taskId, task.result);
    return jsonResult(describeWaiting(task, taskId, waitNote(taskId)));
  }
  const stopUpdates = showProgress(session, task, taskId, onUpdate);
  try {
    return await waitInForeground(tool, session, task, taskId, signal, context);
  } finally {
    stopUpdates();
  }
}

async function waitInForeground(
  tool: TaskTool,
  session: UnifiedSession,
  task: AgentTask,
  taskId: string,
  signal: AbortSignal | undefined,
  context: AgentContext,
): Promise<AgentToolResult<TaskAnswer>> {
  const { pool, service } = session.parts;
  const { interruption, release } = session.openWait(signal);
  const person = new AbortController();
  const stopListening = service.registry.waitForTurn(() => {
    person.abort();
  });
  try {
    if (task.state === "queued") {
      await Promise.race([pool.waitForTurn(task), whenAborted(AbortSignal.any([interruption, person.signal]))]);
    }
    if (task.state === "queued") {
      if (signal?.aborted === true) {
        pool.dropQueued(task, "The agent was aborted before its turn came.");
        throw new Error("task: the agent was aborted before its turn came.");
      }
      task.isAwaited = false;
      const reason = person.signal.aborted ? "The user moved it to the background." : "The user has sent a message.";
      return jsonResult(describeWaiting(task, taskId, `${reason} ${waitNote(taskId)}`));
    }
  } finally {
    stopListening();
    release();
  }
  const { run } = task;
  if (run !== undefined && run.foreground && !run.ended) {
    if (context.hasPendingMessages()) requestPromotion(service.registry, run, "message");
    const answer = await waitForAnswer(service.registry, {
      run,
      signal,
      timeoutMs: MAX_TIMER_MS,
      graceMs: tool.config.graceMs,
      promoteOnInterrupt: true,
    }).catch((error: unknown) => {
      // It could not be started.
      service.registry.forget(run);
      throw error;
    });
    if (answer.kind === "promoted") {
      adopt(service.registry, run, "promoted");
      return jsonResult(describeWaiting(task, taskId, movedNote(answer.cause, taskId)));
    }
    if (answer.kind === "aborted" && task.state !== "ended") {
      service.registry.forgetWhenEnded(run);
      throw new Error(`task: the agent was aborted before it reported. Its ID was ${taskId}.`);
    }
  }
  const result = await pool.waitForResult(task);
  if (run?.foreground === true) service.registry.forgetWhenEnded(run);
  return answerOf(task, taskId, result);
}

function answerOf(task: AgentTask, taskId: string, result: AgentResult): AgentToolResult<TaskAnswer> {
  if (result.kind !== "reported") {
    throw new Error(`task: ${taskId} (${task.title}) ended without a report. ${result.failure}`);
  }
  const answer: TaskAnswer = {
    status: "completed",
    taskId,
    title: task.title,
    reportMarkdown: formatAgentReport({ title: task.title, agentType: task.agentType, report: result.report }),
  };
  return jsonResult(answer);
}

async function findDefinition(tool: TaskTool, name: string): Promise<AgentDefinition> {
  const definitions = await tool.definitions();
  const definition = definitions.get(name);
  if (definition !== undefined) return definition;
  const known = [...definitions.values()].map((one) => `- ${one.name}: ${one.description}`).join("\n");
  throw new Error(`task: there is no subagent_type ${JSON.stringify(name)}. Known ones:\n${known}`);
}

/** Whoever may use bash needs the tools that stand for it here. */
function withOurTools(definition: AgentDefinition, { config }: TaskTool): AgentDefinition {
  const { tools } = definition;
  if (config.surface !== "unified" || tools?.some((name) => name.toLowerCase() === "bash") !== true) return definition;
  const ours = ["task", "task_await", "task_list", "task_terminate"];
  return { ...definition, tools: [...new Set([...tools, config.toolName, ...ours])] };
}

function describeWaiting(task: AgentTask, taskId: string, note: string): TaskAnswer {
  const { title } = task;
  if (task.state === "queued") return { status: "queued", taskId, title, note };
  return { status: "running", taskId, title, note };
}

function showProgress(
  session: UnifiedSession,
  task: AgentTask,
  taskId: string,
  onUpdate: AgentToolUpdateCallback | undefined,
): () => void {
  if (onUpdate === undefined) return () => undefined;
  const show = (): void => {
    if (task.state === "ended") return;
    const details: AgentDetails = {
      ...describeWaiting(task, taskId, describeAgentProgress(task.progress)),
      progress: task.progress,
    };
    onUpdate({ content: [{ type: "text", text: describeAgentProgress(task.progress) }], details });
  };
  show();
  return session.parts.pool.onChange((other) => {
    if (other === task) show();
  });
}

interface LaunchFacts {
  request: AgentRequest;
  definition: AgentDefinition;
  childSessionId: string;
  context: AgentContext;
}

/** Reads from the context now what the start will need: when its turn comes, the session may be another. */
function prepareLaunch(tool: TaskTool, session: UnifiedSession, facts: LaunchFacts): AgentLaunch {
  const { request, definition, childSessionId, context } = facts;
  const { registry } = session.parts.service;
  const { config } = tool;
  const { cwd, model, thinkingLevel } = context;
  const { shell, warnings } = tool.shell();
  // cmd.exe cannot keep the agent's complaints, its prompt and its report apart.
  if (shell === null || shell.kind === "cmd") {
    throw new Error(`task: no Unix shell was found to start the agent with. ${warnings.join("; ")}`);
  }
  const parent: ParentFacts = {
    argv: process.argv.slice(2),
    startFolder: START_FOLDER,
    model: model === undefined ? undefined : `${model.provider}/${model.id}`,
    thinkingLevel,
    projectTrusted: context.isProjectTrusted(),
    ownExtensions: tool.ownExtensions(),
  };
  let files: WorkFolder | undefined;
  return {
    start: (task): Run => {
      files = new WorkFolder(request.prompt, definition.systemPrompt);
      const { systemPromptFile, promptFile, errorFile } = files;
      const args = childArguments(parent, { definition, sessionId: childSessionId, systemPromptFile });
      return startRun(registry, {
        id: task.runId,
        task: { kind: "agent", title: request.title },
        command: `${definition.name}: ${request.title}`,
        script: childScript([...piProgram(), ...args], promptFile, errorFile),
        description: request.title,
        sessionId: session.sessionId,
        cwd,
        shell,
        env: {
          ...environmentChanges(undefined, config.env),
          ...ancestryOfChild(session.parts.ancestry, session.sessionId, `agent:${task.runId}`),
        },
        foreground: task.isAwaited,
        timeoutMs: undefined,
        onTimeout: "stop",
        graceMs: config.graceMs,
        maxOutputChars: config.maxOutputChars,
        outputCapBytes: config.outputCapBytes,
      });
    },
    errors: () => files?.errors() ?? "",
    cleanUp: () => {
      files?.remove();
    },
  };
}

/** The pi that runs here: a script and its interpreter, or a program of its own. */
function piProgram(): string[] {
  const [, script] = process.argv;
  const isVirtual = script === undefined || /^(?:\/\$bunfs\/|[A-Za-z]:[\\/]~BUN[\\/])/.test(script);
  return isVirtual ? [process.execPath] : [process.execPath, script];
}
