// Background tasks and the changes of a session: they run on, stay listed and stoppable, and their owner is told once.
import { expect, test } from "vitest";
import { background, BASH_EXTENSION, release, startedTasks, taskStop, toast, untilReleased } from "./background.ts";
import { type PiRpc, startPiRpc } from "./harness/index.ts";

/** `/again` reloads; each start of a session is told to the test. */
const WITNESS = `export default (pi) => {
  pi.registerCommand("again", { description: "reload", handler: async (_args, ctx) => { await ctx.reload(); } });
  pi.on("session_start", (event, ctx) => ctx.ui.notify("session starts: " + event.reason, "info"));
};`;

const ELSEWHERE: Record<string, (pi: PiRpc, other: string) => Promise<unknown>> = {
  new: (pi) => pi.newSession(),
  resume: (pi, other) => pi.send({ type: "switch_session", sessionPath: other }),
  fork: async (pi) => {
    const { messages } = (await pi.send({ type: "get_fork_messages" })).data;
    return pi.send({ type: "fork", entryId: messages.at(-1)?.entryId ?? "" });
  },
  clone: (pi) => pi.send({ type: "clone" }),
};

test("a task is lost, unstoppable, or told to the wrong session after a change of the session", async () => {
  const pi = await startPiRpc({
    script: [],
    afterScript: { text: "ok" },
    extensions: [BASH_EXTENSION],
    files: { "witness.mjs": WITNESS },
    args: ["-e", "./witness.mjs"],
  });
  await toast(pi, "session starts: startup");
  await pi.run("another session");
  const other = await sessionFile(pi);
  await pi.newSession();
  await toast(pi, "session starts: new");
  await pi.run("the owner");
  const owner = await sessionFile(pi);

  await startTwo(pi, "reload");
  await pi.prompt("/again");
  await toast(pi, "session starts: reload");
  const reloaded = await expectListedAndStoppable(pi, "reload");
  await release(pi, "first-reload");
  await pi.settled();
  expect(notices(pi, owner)).toEqual([reloaded]);

  const told = [reloaded];
  for (const [event, leave] of Object.entries(ELSEWHERE)) {
    await startTwo(pi, event);
    await leave(pi, other);
    await toast(pi, `session starts: ${event === "clone" ? "fork" : event}`);
    expect(await sessionFile(pi)).not.toBe(owner);
    const first = await expectListedAndStoppable(pi, event);
    await release(pi, `first-${event}`);
    await toast(pi, `first-${event}`);
    // Its end is known by now, and the session that is there must not hear of it.
    await pi.run("anything new?");
    expect(JSON.stringify(pi.model.requests.at(-1)?.messages)).not.toContain(`<task-id>${first}`);
    await pi.send({ type: "switch_session", sessionPath: owner });
    await toast(pi, "session starts: resume");
    await pi.settled();
    told.push(first);
    expect(notices(pi, owner)).toEqual(told);
  }

  // Nothing is told again later on.
  await pi.prompt("/again");
  await toast(pi, "session starts: reload");
  await pi.run("and now?");
  expect(notices(pi, owner)).toEqual(told);
  expect(pi.eventsOf("extension_error")).toEqual([]);
});

/** Two tasks of the session that is there: `first-<name>` waits to be released, the other one for its stop. */
async function startTwo(pi: PiRpc, name: string): Promise<void> {
  const first = background(untilReleased(`first-${name}`), { description: `first-${name}` });
  const second = background(`exec sleep 600`, { description: `second-${name}` });
  pi.model.push([first, second]);
  await pi.run(`start two: ${name}`);
}

/** Both are among those that run; the second can be stopped. Gives the id of the first. */
async function expectListedAndStoppable(pi: PiRpc, name: string): Promise<string> {
  const [first, second] = startedTasks(pi).slice(-2);
  if (first === undefined || second === undefined) throw new Error("two tasks should have been started");
  pi.model.push([taskStop("lnosuchid"), taskStop(second.id)]);
  await pi.run(`list and stop: ${name}`);
  const [unknown, stopped] = pi.toolResults().slice(-2);
  expect(unknown?.text).toContain("No task found with ID: lnosuchid");
  expect(unknown?.details).toMatchObject({ running: [{ task_id: first.id }, { task_id: second.id }] });
  expect(stopped?.text).toContain(`Successfully stopped task: ${second.id} (exec sleep 600)`);
  return first.id;
}

/** Ids that the session was told of; a copy in a later session is the same entry and does not count. */
function notices(pi: PiRpc, owner: string): string[] {
  const seen = new Set<string>();
  return pi.sessions().flatMap(({ file, entries }) =>
    entries.flatMap((entry) => {
      if (entry.type !== "custom_message" || entry.customType !== "task-notification" || seen.has(entry.id)) return [];
      seen.add(entry.id);
      const ids = [...JSON.stringify(entry.content).matchAll(/<task-id>(\w+)</g)].map(([, id]) => id ?? "");
      return file === owner || hasEntry(pi, owner, entry.id) ? ids : ids.map((id) => `${id} in ${file}`);
    }),
  );
}

function hasEntry(pi: PiRpc, file: string, id: string): boolean {
  const session = pi.sessions().find((candidate) => candidate.file === file);
  return session?.entries.some((entry) => entry.id === id) === true;
}

async function sessionFile(pi: PiRpc): Promise<string> {
  return (await pi.send({ type: "get_state" })).data.sessionFile ?? "";
}
