// A model that says what a script tells it to, behind the API that pi speaks, on the loopback interface only.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { streamAnswer } from "./chat-stream.ts";
import { ModelRequest } from "./model-request.ts";
import { turnsByModel, type Reply, type Script, type Turn } from "./turn.ts";

export interface ModelOptions {
  script: Script;
  /** Answers every request that the script has no turn for; without it such a request gets a plain sentence. */
  afterScript?: Turn;
}

/** Plays its turns in the order of the requests, one queue per model id. */
export class ScriptedModel implements AsyncDisposable {
  /** Every request so far, oldest first. */
  readonly requests: ModelRequest[] = [];
  /** Errors of the script itself, such as a function that threw. */
  readonly scriptErrors: Error[] = [];
  readonly #turns: Record<string, Turn[]>;
  readonly #afterScript: Turn;
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response);
  });

  constructor({ script, afterScript }: ModelOptions) {
    this.#turns = Object.fromEntries(Object.entries(turnsByModel(script)).map(([id, turns]) => [id, [...turns]]));
    this.#afterScript = afterScript ?? { text: "(the script has no turn for this request)" };
  }

  /** Resolves when requests are taken. */
  async start(): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  get modelIds(): string[] {
    return Object.keys(this.#turns);
  }

  /** Turns that no request has asked for yet, over all models. */
  get turnsLeft(): number {
    return Object.values(this.#turns).reduce((sum, turns) => sum + turns.length, 0);
  }

  /** Adds turns at the end of the script of one model (default: the first). */
  push(turns: Turn[], modelId = this.modelIds[0] ?? ""): void {
    (this.#turns[modelId] ??= []).push(...turns);
  }

  /** Drops open connections; a reply under way is cut off. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
      this.#server.closeAllConnections();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #serve(http: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const request = new ModelRequest(this.requests.length + 1, JSON.parse(await text(http)));
      this.requests.push(request);
      const reply = await this.#replyTo(request);
      if ("hang" in reply) return;
      if ("status" in reply) sendFailure(response, reply.status, reply.message);
      else await streamAnswer(response, reply, { requestNumber: request.number, modelId: request.modelId });
    } catch (cause) {
      // A connection that pi gave up (an aborted run) is no fault of the script.
      if (http.destroyed && !http.complete) return;
      const error = cause instanceof Error ? cause : new Error(String(cause));
      this.scriptErrors.push(error);
      if (!response.headersSent) sendFailure(response, 500, `the script failed: ${error.message}`);
    }
  }

  async #replyTo(request: ModelRequest): Promise<Reply> {
    const turn = this.#turns[request.modelId]?.shift() ?? this.#afterScript;
    return typeof turn === "function" ? await turn(request) : turn;
  }
}

function sendFailure(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message } }));
}
