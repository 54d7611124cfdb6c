// What the demo plays: the turns of the scripted model, and what must have happened at the end.
import { existsSync, readFileSync } from "node:fs";
import { FAILURE_BOUND_MS, lookUntil } from "../__test__/pi/harness/bound.ts";
import type { ModelRequest } from "../__test__/pi/harness/model-request.ts";
import type { PiUnderTest } from "../__test__/pi/harness/pi-under-test.ts";
import { canSeeProcesses } from "../__test__/pi/harness/processes.ts";
import type { Answer, Turn } from "../__test__/pi/harness/turn.ts";

export const PROMPT = "Show me what pi-foreman does.";
export const LAST_WORDS = "The server is stopped and nothing of it is left. That was all: Ctrl+D leaves.";

const STARTED = /Command running in background with ID: (l[a-z0-9]{8})\. Output is being written to: (\S.*)/;

const OUTPUT_FILE = /<output-file>(.*)<\/output-file>/;

/** So that a person can follow. */
const PACE = { pauseMs: 700, wordPauseMs: 40 };

export const STORY: Turn[] = [
  say("First a command that I wait for.", {
    tool: "bash",
    args: { command: `echo "hello from $(uname -s)"; echo "$((6 * 7)) is the answer"`, description: "Say hello" },
  }),
  say("Now a build in the background, so that I am free for other work.", {
    tool: "bash",
    args: {
      command: `for part in 1 2 3; do echo "compiled part $part of 3"; sleep 1; done`,
      description: "The build",
      run_in_background: true,
    },
  }),
  (request) =>
    // On a slow machine it may have ended already; then nothing would wake the model once it is idle.
    isToldOfTheBuild(request)
      ? readBuildOutput(request)
      : say("The build runs. I do not ask how far it is: I am told when it has ended."),
  // Here the model is idle, and only the notification wakes it.
  readBuildOutput,
  say("And a server, which does not end by itself.", {
    tool: "bash",
    args: {
      command: `request=0; while :; do echo "served request $((request += 1))"; sleep 1; done`,
      description: "The server",
      run_in_background: true,
    },
  }),
  async (request) => {
    const [, taskId = "", outputPath = ""] = STARTED.exec(request.lastToolResult) ?? [];
    await lookUntil(() => linesOf(outputPath).includes("served request 2") || undefined, FAILURE_BOUND_MS);
    return say("It serves. I stop it.", { tool: "TaskStop", args: { task_id: taskId } });
  },
  say(LAST_WORDS),
];

export const AFTER_STORY: Turn = say("I am only a script, and it is over. Ctrl+D leaves.");

export interface KeptPromise {
  text: string;
  kept: boolean;
}

/** What the story promised, and whether it was kept. Asked after the last words, while pi still runs. */
export async function checkPromises(pi: PiUnderTest): Promise<KeptPromise[]> {
  const textsOf = (tool: string) => pi.toolResults().flatMap((result) => (result.tool === tool ? [result.text] : []));
  const [foreground, build, server] = textsOf("bash");
  const output = textsOf("read").at(-1);
  const stop = textsOf("TaskStop").at(-1);
  const buildId = STARTED.exec(build ?? "")?.[1];
  const notifications = pi.taskNotifications().map(({ text }) => text);
  const left = canSeeProcesses ? await pi.waitForNoProcess(FAILURE_BOUND_MS) : [];
  return [
    { text: "the model read the output of the command it waited for", kept: /42 is the answer/.test(foreground ?? "") },
    { text: "the build went to the background and got an ID and a file", kept: buildId !== undefined },
    {
      text: "the model was told once that the build had ended well",
      kept:
        notifications.length === 1 &&
        notifications[0]?.includes(`<task-id>${buildId ?? ""}</task-id>`) === true &&
        notifications[0].includes("<status>completed</status>"),
    },
    {
      text: "the file holds all that the build printed",
      kept: /part 1 of 3\n.*part 2 of 3\n.*part 3 of 3/.test(output ?? ""),
    },
    { text: "the server went to the background", kept: STARTED.test(server ?? "") },
    { text: "the server was stopped when the model asked for it", kept: /Successfully stopped task/.test(stop ?? "") },
    { text: "no process is left", kept: left.length === 0 },
  ];
}

function say(text: string, call: Pick<Answer, "tool" | "args"> = {}): Answer {
  return { ...PACE, text, ...call };
}

function isToldOfTheBuild(request: ModelRequest): boolean {
  return request.messages.some(({ text }) => OUTPUT_FILE.test(text));
}

function readBuildOutput(request: ModelRequest): Answer {
  return say("The build has ended. I read its output.", { tool: "read", args: { path: request.find(OUTPUT_FILE) } });
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split(/\r?\n/) : [];
}
