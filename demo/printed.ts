// The demo without a terminal: each step as text, as it happens.
import type { EventOf } from "../__test__/pi/harness/event-log.ts";
import { startPiRpc } from "../__test__/pi/harness/pi-rpc.ts";
import type { PiOptions } from "../__test__/pi/harness/pi-under-test.ts";
import { printPromises } from "./promises.ts";
import { checkPromises, LAST_WORDS, PROMPT } from "./story.ts";

type Message = EventOf<"message_end">["message"];

/** Resolves to whether everything that the story promised has happened. */
export async function playPrinted(options: PiOptions): Promise<boolean> {
  const pi = await startPiRpc(options);
  try {
    await pi.prompt(PROMPT);
    for (let words = ""; words !== LAST_WORDS;) {
      const { message } = await pi.waitFor("message_end");
      printMessage(message);
      if (message.role === "assistant") words = textOf(message.content);
    }
    await pi.settled();
    return printPromises(await checkPromises(pi));
  } finally {
    await pi.stop();
  }
}

function printMessage(message: Message): void {
  switch (message.role) {
    case "user":
      print("person", textOf(message.content));
      break;
    case "assistant":
      print("model", textOf(message.content));
      for (const part of message.content) {
        if (part.type === "toolCall") print(`calls ${part.name}`, describeArguments(part.arguments));
      }
      break;
    case "toolResult":
      print("  reads", textOf(message.content));
      break;
    case "custom":
      print("is told", textOf(message.content));
      break;
    default:
      // The system prompt, and what only pi itself is interested in.
      break;
  }
}

function describeArguments({ command, ...others }: Record<string, unknown>): string {
  const rest = Object.entries(others).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return [...(typeof command === "string" ? [command] : []), ...rest].join("\n");
}

function textOf(content: string | { type: string; text?: string }[]): string {
  return typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");
}

/** The name in a column of its own, the text beside it. */
function print(name: string, text: string): void {
  const [first = "", ...others] = text.trimEnd().split("\n");
  const lines = [`${name.padEnd(15)}│ ${first}`, ...others.map((line) => `${" ".repeat(15)}│ ${line}`)];
  process.stdout.write(`${lines.join("\n")}\n`);
}
