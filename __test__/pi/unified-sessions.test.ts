// Tasks of a session that pi has left for another one, and comes back to.
import { expect, test } from "vitest";
import { startPiRpc } from "./harness/index.ts";
import { agent, awaitTasks, background, call, list, rows, startTask, told, UNIFIED } from "./unified.ts";

test("what has ended while pi was in another session runs for ever there", async () => {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const pi = await startPiRpc({
    ...UNIFIED,
    afterScript: { text: "I see" },
    script: { parent: [], child: [async () => released.then(() => ({ text: "Done meanwhile." }))] },
  });
  const printing = await startTask(pi, background("while [ ! -e go ]; do sleep 0.02; done; echo over > over; exit 3"));
  const helping = await startTask(pi, agent({ run_in_background: true }));
  const { sessionFile = "" } = (await pi.send({ type: "get_state" })).data;
  await pi.newSession();
  expect(rows(await call(pi, list()))).toEqual([]);
  release();
  pi.home.write("go", "");
  await expect.poll(() => pi.processes().length, { timeout: 20_000 }).toBe(0);
  // The model hears of both there.
  await pi.send({ type: "switch_session", sessionPath: sessionFile });
  await told(pi, printing, helping);
  const awaited = rows(await call(pi, awaitTasks({ task_ids: [printing, helping], timeout_secs: 0 })));
  expect(awaited).toMatchObject([
    { status: "completed", outcome: "exited", exitCode: 3 },
    { status: "completed", outcome: "exited" },
  ]);
  expect(awaited[1]?.["reportMarkdown"]).toContain("Done meanwhile.");
});
