// What the scripted model answers: the language of the scripts.
import type { ModelRequest } from "./model-request.ts";

export interface ToolCall {
  tool: string;
  /** An object, or the raw text when the arguments shall be broken JSON. */
  args: Record<string, unknown> | string;
}

/** Words, one call, or several calls at once (with or without words before them). */
export interface Answer {
  text?: string;
  tool?: string;
  args?: ToolCall["args"];
  calls?: ToolCall[];
  /** Before the first byte. */
  pauseMs?: number;
  /** After each word of `text`. */
  wordPauseMs?: number;
}

/** Takes the request and never answers; ends when pi lets go of the connection. */
export interface Hang {
  hang: true;
}

/** An HTTP error instead of an answer. */
export interface Failure {
  status: number;
  message: string;
}

export type Reply = Answer | Hang | Failure;

/** A reply, or a function that makes one from the request (to use an id from an earlier result, or to wait for something). */
export type Turn = Reply | ((request: ModelRequest) => Reply | Promise<Reply>);

/** Turns of the one model, or of several by model id. */
export type Script = Turn[] | Record<string, Turn[]>;

/** The model id of a script that names none. */
export const DEFAULT_MODEL_ID = "scripted";

export function turnsByModel(script: Script): Record<string, Turn[]> {
  return Array.isArray(script) ? { [DEFAULT_MODEL_ID]: script } : script;
}

export function callsOf(answer: Answer): ToolCall[] {
  return answer.calls ?? (answer.tool === undefined ? [] : [{ tool: answer.tool, args: answer.args ?? {} }]);
}
