// What a person sees of the unified tools, on a real screen and in a client that draws by itself.
import { expect, test } from "vitest";
import { hasTmux, startPiRpc, startPiTui } from "./harness/index.ts";
import { agent, awaitTasks, background, call, command, list, payload, rows, terminate, UNIFIED } from "./unified.ts";

test.skipIf(!hasTmux)("a call or its result looks like JSON, or hides how it ended", async () => {
  const pi = await startPiTui({
    ...UNIFIED,
    rows: 60,
    script: {
      parent: [
        command("echo first line; exit 3"),
        agent({ title: "Look around" }),
        background("echo ready; sleep 600", { display_name: "The server" }),
        awaitTasks(),
        list(),
        (request) => terminate(request.find(/"taskId":"(bash:\w+)"/)),
        { text: "That was all." },
      ],
      child: [{ text: "I have **looked**." }],
    },
  });
  await pi.enter("go");
  const screen = await pi.waitForText("That was all.");
  expect(screen).toMatch(/\$ echo first line; exit 3 \(timeout 1m\) A command/);
  expect(screen).toMatch(/first line\s+Exit code 3/);
  expect(screen).toMatch(/agent child: Look around/);
  expect(screen).toContain("I have **looked**.");
  expect(screen).toMatch(/\$ echo ready; sleep 600 .*\(background\) The server/);
  expect(screen).toMatch(/running · bash:l\w{8}/);
  expect(screen).toMatch(/await all tasks[\s\S]*○ bash:l\w{8} · running[\s\S]*ready/);
  expect(screen).toMatch(/tasks queued, running[\s\S]*● The server running · /);
  expect(screen).toMatch(/terminate bash:l\w{8}[\s\S]*● bash:l\w{8} ended/);
  expect(screen).not.toMatch(/\{"|"status"/);
  await pi.enter("/reload");
  const drawnAgain = await pi.waitForText(/Reloaded/);
  expect(drawnAgain).toMatch(/terminate bash:l\w{8}[\s\S]*● bash:l\w{8} ended/);
  expect(drawnAgain).not.toMatch(/\{"|"status"/);
  pi.resize(40, 30);
  await pi.waitForText("That was all.");
});

test.skipIf(!hasTmux)("Ctrl+B leaves an agent in the foreground whose turn has not come", async () => {
  const pi = await startPiTui({
    ...UNIFIED,
    files: { ...UNIFIED.files, "~/.pi/agent/extensions/picc-bash/config.json": '{"maxParallelAgents":1}' },
    script: {
      parent: [{ calls: [agent({ title: "The first" }), agent({ title: "The second" })] }, { text: "Both go on." }],
      child: [{ hang: true }, { hang: true }],
    },
  });
  await pi.enter("go");
  await pi.waitForText(/agent child: The second\s+○ |The second[^]*queued/);
  pi.press("C-b");
  await pi.waitForText("Both go on.");
  const results = pi.toolResults().map((result) => payload(result));
  expect(results.map(({ status }) => status)).toEqual(["running", "queued"]);
  for (const { note } of results) expect(note).toMatch(/^The user moved it to the background\./);
});

test.skipIf(!hasTmux)("an agent in the background takes more than a line, or stays when it has ended", async () => {
  const pi = await startPiTui({
    ...UNIFIED,
    columns: 30,
    rows: 40,
    script: {
      parent: [
        agent({ title: `你好 ${"long ".repeat(100)}`, run_in_background: true }),
        { text: "It runs." },
        (request) => terminate(request.find(/"taskId":"(agent:\w+)"/)),
        { text: "It is over." },
      ],
      child: [{ hang: true }],
    },
  });
  await pi.enter("go");
  await pi.waitForText("It runs.");
  await pi.waitForText(/^ ● child: 你好 [long ]+…\s*\n─/m);
  // How far it is can be seen on a usual screen.
  pi.resize(80, 40);
  await pi.waitForText(/^ ● child: 你好 [long ]+… · 0 turns, 0 tokens\s*\n─/m);
  await pi.enter("end it");
  await pi.waitForText("It is over.");
  await pi.waitForNoText("● child: ");
});

test("an agent in the background is not shown, or stays when it has ended", async () => {
  const pi = await startPiRpc({ ...UNIFIED, script: { parent: [], child: [{ hang: true }] } });
  const taskId = String(
    payload(await call(pi, agent({ title: "Hidden\u001b[2J", run_in_background: true })))["taskId"],
  );
  const widgets = () =>
    pi
      .eventsOf("extension_ui_request")
      .flatMap((event) =>
        event.method === "setWidget" && event.widgetKey === "foreman-agents" ? [event.widgetLines] : [],
      );
  expect(widgets().at(-1)).toEqual([
    expect.stringMatching(/^● child: Hidden(?:␛\[2J)? · 0 turns, 0 tokens$/) as string,
  ]);
  expect(rows(await call(pi, terminate(taskId)))).toMatchObject([{ status: "terminated" }]);
  expect(widgets().at(-1)).toBeUndefined();
});

test("the old names are offered without being asked for, or do something else", async () => {
  const files = { ...UNIFIED.files, "~/.pi/agent/extensions/picc-bash/config.json": '{"legacyBashTools":true}' };
  const pi = await startPiRpc({ ...UNIFIED, files, script: [] });
  const taskId = String(payload(await call(pi, background("echo old; sleep 600")))["taskId"]);
  const bare = taskId.slice("bash:".length);
  const [read] = rows(await call(pi, { tool: "bash_output", args: { task_id: bare, block: true } }));
  expect(read).toMatchObject({ status: "running", taskId, output: "old" });
  expect(rows(await call(pi, { tool: "bash_background_list", args: {} }))).toMatchObject([{ taskId }]);
  const [ended] = rows(await call(pi, { tool: "bash_background_terminate", args: { task_id: bare } }));
  expect(ended).toMatchObject({ status: "terminated", taskId });
  // Without notices: one that came between two calls would be a run of its own.
  const env = { PICC_TOOL_SURFACE: "classic", PICC_BASH_NOTIFY: "0" };
  const classic = await startPiRpc({ ...UNIFIED, files, env, script: [] });
  await call(classic, { tool: "bash", args: { command: "echo old; sleep 600", run_in_background: true } });
  expect(rows(await call(classic, { tool: "bash_background_list", args: {} }))).toMatchObject([{ kind: "bash" }]);
  const left = await call(classic, { tool: "bash", args: { command: "sleep 600 &", run_in_background: true } });
  const args = { task_id: /ID: (\w+)/.exec(left.text)?.[1], block: true };
  expect(rows(await call(classic, { tool: "bash_output", args }))).toMatchObject([
    {
      status: "completed",
      note: expect.stringMatching(/still running\. bash_background_terminate ends them/) as string,
    },
  ]);
  expect(JSON.stringify(classic.model.requests[0]?.tools)).not.toMatch(/task_(await|list|terminate)/);
  const plain = await startPiRpc({ ...UNIFIED, script: [{ text: "end" }] });
  await plain.run("go");
  expect(plain.model.requests[0]?.tools.map(({ name }) => name).filter((name) => name.startsWith("bash"))).toEqual([]);
});
