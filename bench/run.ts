// npm run bench [-- [--quick] [row …]]: measures, prints as it goes, and writes bench/RESULTS.md unless only some were asked for.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Bench, GIB, MIB } from "./bench.ts";
import { machineFacts } from "./machine.ts";
import { cap } from "./rows/cap.ts";
import { capture } from "./rows/capture.ts";
import { filter } from "./rows/filter.ts";
import { hostImpact } from "./rows/host-impact.ts";
import { launch } from "./rows/launch.ts";
import { loadExtension } from "./rows/load-extension.ts";
import { manyRuns } from "./rows/many-runs.ts";
import { shortLines } from "./rows/short-lines.ts";
import { stopTree } from "./rows/stop-tree.ts";
import { unified } from "./rows/unified.ts";
import { markdownTable, plainRow, type Row, type Skipped } from "./table.ts";
import { createWorkspace } from "./workspace.ts";

const BENCHES: Readonly<Record<string, Bench>> = {
  capture,
  "short-lines": shortLines,
  "host-impact": hostImpact,
  cap,
  launch,
  "many-runs": manyRuns,
  filter,
  "load-extension": loadExtension,
  unified,
  "stop-tree": stopTree,
};
const RESULTS = path.join(import.meta.dirname, "RESULTS.md");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false } },
});
const unknown = positionals.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  process.stderr.write(`no bench named ${unknown.join(", ")}; there are ${Object.keys(BENCHES).join(", ")}\n`);
  process.exit(2);
}
if (process.platform !== "linux") {
  process.stderr.write("these benches read /proc and run on Linux only\n");
  process.exit(2);
}

const facts = machineFacts();
const quick = values.quick;
const setting = { workspace: createWorkspace(quick ? 512 * MIB : 6 * GIB), rounds: quick ? 1 : 5, quick };
say([...facts, `files in ${setting.workspace.folder}`].join("\n"));
const rows: (Row | Skipped)[] = [];
for (const [name, bench] of Object.entries(BENCHES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  say(`\n${name}`);
  for (const row of await measure(name, bench)) {
    rows.push(row);
    say(plainRow(row));
  }
  // After each bench: a run that is cut short leaves what it measured.
  if (positionals.length === 0 && !quick) writeFileSync(RESULTS, report());
}
if (positionals.length === 0 && !quick) say(`\nwritten to ${path.relative(process.cwd(), RESULTS)}`);
process.exit(process.exitCode);

/** A bench that breaks must not cost the results of the others. */
async function measure(name: string, bench: Bench): Promise<(Row | Skipped)[]> {
  try {
    return await bench(setting);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return [{ what: name, skipped: `broke: ${error instanceof Error ? error.message : String(error)}` }];
  }
}

function report(): string {
  return [
    "# Bench results",
    "",
    "Written by `npm run bench`. All contestants of a row take turns in one run; the values are medians of",
    `${setting.rounds} or more counted runs of each, after one that is not counted. "native" is the command without a supervisor:`,
    "bash started by posix_spawn from a C program with the file as its standard output, or the system's own tool that is named.",
    'Ratios are ours to theirs: below 1 is faster. "Node" is `child_process.spawn` with pipes and `createWriteStream`;',
    "picc-bash is `@ladbabynpm/picc-bash` with its tool called as pi calls it.",
    "",
    ...facts.map((fact) => `- ${fact}`),
    `- output written to ${setting.workspace.inMemory ? "tmpfs" : "a disk"}`,
    "",
    markdownTable(rows),
    "",
  ].join("\n");
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
