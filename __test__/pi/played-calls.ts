// One pi that plays many calls before the tests of a file: each test then looks at the one call it is about.
import { afterAll, beforeAll } from "vitest";
import type { PiRpc } from "./harness/pi-rpc.ts";
import { startPiRpc } from "./harness/pi-rpc.ts";
import type { PiOptions } from "./harness/pi-under-test.ts";
import type { ToolResult } from "./harness/transcript.ts";
import type { ToolCall } from "./harness/turn.ts";

/** The calls of one answer of the model, which run in parallel, under the names that the tests use. */
export type Turn = Record<string, ToolCall>;

/** A turn, or a function that makes one from what has happened so far; it may wait for something first. */
export type PlayedTurn = Turn | ((played: Played) => Turn | Promise<Turn>);

/** What a call of bash gave, with its details as a test reads them. */
export interface CallResult extends ToolResult {
  details: Record<string, unknown>;
}

export interface Played {
  readonly pi: PiRpc;
  readonly result: (name: string) => CallResult;
  /** The id in the text or details of a call that left something running. */
  readonly taskId: (name: string) => string;
  /** The file of a background call. */
  readonly outputFile: (name: string) => string;
  /** Waits until the person was told of an end in words that contain `text`; in a run the model is told later. */
  readonly hasEnded: (text: string) => Promise<void>;
}

export type PlayedOptions = Omit<PiOptions, "script" | "afterScript">;

/** The built entry, as `pi -e` takes it. */
export const BASH_EXTENSION = "dist/bash.js";

export function bash(command: string, rest: Record<string, unknown> = {}): ToolCall {
  return { tool: "bash", args: { command, ...rest } };
}

export function inBackground(command: string, rest: Record<string, unknown> = {}): ToolCall {
  return bash(command, { run_in_background: true, ...rest });
}

export function taskStop(args: Record<string, unknown>): ToolCall {
  return { tool: "TaskStop", args };
}

/**
 * Starts pi in rpc mode and plays the turns, one answer of the model each, within one run; stops pi after the tests of the
 * file or `describe` it is called in. That fails when something is left running.
 */
export function playCalls(turns: PlayedTurn[], options: PlayedOptions = {}): Played {
  const ids = new Map<string, string>();
  /** Of a run that is over: reading hundreds of results again for each look would take longer than the run. */
  let results: Map<string, ToolResult> | undefined;
  let pi: PiRpc | undefined;
  const played: Played = {
    get pi() {
      if (pi === undefined) throw new Error("pi was not started");
      return pi;
    },
    result: (name) => {
      const byId = results ?? new Map(played.pi.toolResults().map((each) => [each.id, each]));
      const result = byId.get(ids.get(name) ?? "");
      if (result === undefined) throw new Error(`the call "${name}" has no result`);
      return { ...result, details: (result.details ?? {}) as Record<string, unknown> };
    },
    taskId: (name) => {
      const { text, details } = played.result(name);
      const id = details["backgroundTaskId"];
      if (typeof id !== "string") throw new Error(`the call "${name}" started no task: ${text}`);
      return id;
    },
    outputFile: (name) => {
      const { text } = played.result(name);
      const file = /Output is being written to: (.+)$/m.exec(text)?.[1];
      if (file === undefined) throw new Error(`the call "${name}" names no file: ${text}`);
      return file;
    },
    hasEnded: async (text) => {
      await played.pi.seen(
        "extension_ui_request",
        (event) => event.method === "notify" && event.message.includes(text),
      );
    },
  };
  beforeAll(async () => {
    pi = await startPiRpc({
      extensions: [BASH_EXTENSION],
      ...options,
      script: turns.map((turn) => async (request) => {
        const calls = Object.entries(typeof turn === "function" ? await turn(played) : turn);
        // The ids that chat-stream.ts gives.
        for (const [index, [name]] of calls.entries()) ids.set(name, `call_${request.number}_${index + 1}`);
        return { calls: calls.map(([, call]) => call) };
      }),
      afterScript: { text: "done" },
    });
    await pi.prompt("go");
    await pi.settled(RUN_BOUND_MS);
    if (pi.model.turnsLeft > 0) throw new Error(`the run ended ${pi.model.turnsLeft} turns early`);
    results = new Map(pi.toolResults().map((each) => [each.id, each]));
  }, RUN_BOUND_MS);
  afterAll(async () => {
    await pi?.stop();
  });
  return played;
}

/** Bound of a whole run; only a hang reaches it. */
const RUN_BOUND_MS = 120_000;
