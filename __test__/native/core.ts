// The built addon in the test's own process, and its runs as promises.
import path from "node:path";
import {
  type Addon,
  type LaunchSpec,
  loadNative,
  type NativeLoad,
  type RunEvent,
  type Shell,
  toForemanError,
} from "../../src/native.ts";
import { bashOf } from "./bash.ts";

const native: NativeLoad = loadNative();
if (!native.ok) throw new Error(native.message);

export const addon: Addon = native.addon;
export const builtAddon = native.from;
export const usualBash: Shell = bashOf(addon);
/** The top of the drive: a folder that is always there. */
export const topFolder = path.parse(process.cwd()).root;
export const builtShim = path.join(path.dirname(native.from), "foreman-shim");

type EventOf<Kind extends RunEvent["kind"]> = Extract<RunEvent, { kind: Kind }>;

const events: RunEvent[] = [];
const waiters = new Set<() => void>();

addon.subscribe((event) => {
  events.push(event);
  for (const look of [...waiters]) look();
});

/** The first event of this kind that the run says or has said; an error when the run could not be started. */
export function eventOf<Kind extends RunEvent["kind"]>(id: string, kind: Kind): Promise<EventOf<Kind>> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const ofRun = events.filter((event) => event.runId === id);
      const found = ofRun.find((event) => event.kind === kind) as EventOf<Kind> | undefined;
      const failed = ofRun.find((event) => event.kind === "failed");
      if (found === undefined && failed === undefined) return;
      waiters.delete(look);
      if (found !== undefined) resolve(found);
      else reject(toForemanError(new Error(`${failed?.code ?? ""}: ${failed?.message ?? ""}`), "SPAWN_FAILED"));
    };
    waiters.add(look);
    look();
  });
}

export type Changes = Partial<LaunchSpec> & Pick<LaunchSpec, "outputBase">;

/** Launches a script and gives its id. */
export function launch(id: string, script: string, changes: Changes): string {
  addon.launch({
    id,
    script,
    shell: usualBash,
    cwd: topFolder,
    env: {},
    foreground: true,
    outputFolders: ["session", "tasks"],
    meta: "",
    ...changes,
  });
  return id;
}

/** A run from its launch to the moment when nothing of it is left; the addon has forgotten it then. */
export async function runToEnd(id: string, script: string, changes: Changes): Promise<EventOf<"ended">> {
  const ended = await eventOf(launch(id, script, changes), "ended");
  forget(id);
  return ended;
}

/** Drops all that is known of a run. */
export function forget(id: string): void {
  addon.forget(id);
  for (let index = events.length - 1; index >= 0; index--) if (events[index]?.runId === id) events.splice(index, 1);
}

/** Ends a run at once and waits until nothing of it is left. */
export async function endRun(id: string): Promise<void> {
  if (addon.requestStop(id, "stop", 0)) await eventOf(id, "ended");
  forget(id);
}
