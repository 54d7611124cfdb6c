// Lines written one by one, the way builds and tests print.
import type { Bench } from "../bench.ts";
import { captureRows } from "../capture-race.ts";
import { checkRatio } from "../table.ts";

/** Each prints `line of output` and a newline, that often. */
const LINE_BYTES = "line of output\n".length;

export const shortLines: Bench = async (setting) => {
  const lines = setting.quick ? 20_000 : 1_000_000;
  const commands = [
    { title: "bash `echo`", command: `for ((i = 0; i < ${lines}; i++)); do echo line of output; done` },
    {
      title: "python `os.write`",
      command: `python3 -c 'import os; [os.write(1, b"line of output\\n") for _ in range(${lines})]'`,
    },
  ];
  return captureRows(
    setting,
    commands.map(({ title, command }) => ({
      what: `capture ${lines.toLocaleString("en")} lines written one by one: ${title}`,
      command,
      expectedBytes: lines * LINE_BYTES,
      checks: ({ foreman, native, node }) => [
        checkRatio(foreman, native, 0.9, "the child writing the file"),
        checkRatio(foreman, node, 0.45, "Node `stdout.pipe(file)`"),
      ],
    })),
  );
};
