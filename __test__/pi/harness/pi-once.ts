// pi that answers its prompts and ends: json mode (events) and print mode (the last answer as text).
import { once } from "node:events";
import { PiChild, type PiExit } from "./pi-child.ts";
import { type PiOptions, setStage, type Stage } from "./pi-under-test.ts";

export interface PiOnceOptions extends PiOptions {
  /** Default: one prompt, "go". */
  prompts?: string[];
}

export class PiOnce extends PiChild {
  readonly #format: "json" | "print";

  constructor(stage: Stage, format: "json" | "print", prompts: string[]) {
    super(stage, [...(format === "json" ? ["--mode", "json"] : ["-p"]), ...prompts]);
    this.#format = format;
    this.child.stdin.end();
  }

  /** The end of pi, when all that it printed has arrived as well. */
  async finished(boundMs?: number): Promise<PiExit> {
    const output = this.child.stdout.readableEnded ? undefined : once(this.child.stdout, "end");
    const exit = await this.exited(boundMs);
    await output;
    return exit;
  }

  protected override takeLine(line: string): void {
    if (this.#format === "json") super.takeLine(line);
  }
}

export async function startPiJson(options: PiOnceOptions): Promise<PiOnce> {
  return new PiOnce(await setStage(options), "json", options.prompts ?? ["go"]);
}

export async function startPiPrint(options: PiOnceOptions): Promise<PiOnce> {
  return new PiOnce(await setStage(options), "print", options.prompts ?? ["go"]);
}
