// pi driven over its JSON protocol, as an editor drives it.
import type { RpcCommand, RpcResponse } from "@earendil-works/pi-coding-agent";
import { PiChild } from "./pi-child.ts";
import { type PiOptions, setStage, type Stage } from "./pi-under-test.ts";

type Success<C extends RpcCommand> = Extract<RpcResponse, { command: C["type"]; success: true }>;

export class PiRpc extends PiChild {
  #lastId = 0;

  constructor(stage: Stage) {
    super(stage, ["--mode", "rpc"]);
  }

  /** Sends any command of the protocol and gives pi's answer to it; fails when pi refuses. */
  async send<C extends RpcCommand>(command: C): Promise<Success<C>> {
    const id = `command-${++this.#lastId}`;
    this.child.stdin.write(`${JSON.stringify({ ...command, id })}\n`);
    const response = await this.log.find("response", (event) => event.id === id);
    if (!response.success) throw new Error(`pi refused ${command.type}: ${response.error}`);
    return response as Success<C>;
  }

  /** Resolves when pi has taken the prompt, not when it has answered it: for that, `settled()`. */
  async prompt(message: string, streamingBehavior?: "steer" | "followUp"): Promise<void> {
    await this.send({ type: "prompt", message, ...(streamingBehavior && { streamingBehavior }) });
  }

  /** As Escape does. */
  async abort(): Promise<void> {
    await this.send({ type: "abort" });
  }

  async newSession(): Promise<void> {
    await this.send({ type: "new_session" });
  }

  async sessionId(): Promise<string> {
    return (await this.send({ type: "get_state" })).data.sessionId;
  }

  /** The client goes away: pi is to end. */
  closeInput(): void {
    this.child.stdin.end();
  }
}

export async function startPiRpc(options: PiOptions): Promise<PiRpc> {
  return new PiRpc(await setStage(options));
}
