// Starts a run and ends in the same breath, in one of the ways a host may have loaded the addon.
//   exit-at-once.mjs <script> [worker | twice <copy of the addon>]
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { openAddon, specOf } from "./bare.mjs";

const [script, how, copy] = process.argv.slice(2);
const addon = openAddon();

if (how === "worker" && isMainThread) {
  new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) }).once("message", () => process.exit(0));
} else {
  addon.launch(specOf(`exit-${process.pid}`, script));
  if (how === "twice") openAddon(copy).launch(specOf(`exit-${process.pid}-second`, script));
  if (isMainThread) process.exit(0);
  parentPort.postMessage("started");
}
