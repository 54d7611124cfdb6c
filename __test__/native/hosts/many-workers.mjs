// Lets worker threads start a run each and end at once, some at a time, then ends itself while the runs live.
//   many-workers.mjs <script> <how many>
import { once } from "node:events";
import { isMainThread, threadId, Worker } from "node:worker_threads";
import { openAddon, specOf } from "./bare.mjs";

const [script, count] = process.argv.slice(2);
const addon = openAddon();

if (isMainThread) {
  let left = Number(count);
  const lane = async () => {
    while (left-- > 0) {
      const [exitCode] = await once(new Worker(new URL(import.meta.url), { argv: [script] }), "exit");
      if (exitCode !== 0) throw new Error(`a worker ended with ${exitCode}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  process.exit(0);
} else {
  addon.launch(specOf(`worker-${process.pid}-${threadId}`, script));
  process.exit(0);
}
