// Much output fast: what does it cost a command that we stand between it and its file?
import type { Bench } from "../bench.ts";
import { GIB, MIB } from "../bench.ts";
import { captureRows } from "../capture-race.ts";
import { checkRatio } from "../table.ts";
import { compileProgram } from "../workspace.ts";

export const capture: Bench = async (setting) => {
  const bytes = setting.quick ? 64 * MIB : 2 * GIB;
  const blockWriter = compileProgram(setting.workspace, "block_writer");
  const commands = [
    { title: "`head -c`", command: `head -c ${bytes} /dev/zero`, limit: 1.1 },
    { title: "`yes`", command: `yes | head -c ${bytes}`, limit: 1.1 },
    { title: "a C program, 64 KiB blocks", command: `${blockWriter ?? ""} 65536 ${bytes}`, limit: 1.6 },
  ];
  const where = setting.workspace.inMemory ? "tmpfs" : "disk";
  return captureRows(
    setting,
    commands.map(({ title, command, limit }) => ({
      what: `capture ${setting.quick ? "64 MiB" : "2 GiB"} to ${where}: ${title}`,
      command,
      expectedBytes: bytes,
      checks: ({ foreman, native }) => [checkRatio(foreman, native, limit, "the child writing the file")],
    })),
  );
};
