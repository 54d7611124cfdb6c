// Lines written one by one, the way builds and tests print.
import type { Bench } from "../bench.ts";
import { lackForCapture, raceCapture } from "../capture-race.ts";
import { checkRatio, formatMs, type Row, type Skipped } from "../table.ts";

/** Each prints `line of output` and a newline, that often. */
const LINE_BYTES = "line of output\n".length;

export const shortLines: Bench = async (setting) => {
  const lines = setting.quick ? 20_000 : 1_000_000;
  const expectedBytes = lines * LINE_BYTES;
  const commands = [
    { title: "bash `echo`", command: `for ((i = 0; i < ${lines}; i++)); do echo line of output; done` },
    {
      title: "python `os.write`",
      command: `python3 -c 'import os; [os.write(1, b"line of output\\n") for _ in range(${lines})]'`,
    },
  ];
  const rows: (Row | Skipped)[] = [];
  for (const { title, command } of commands) {
    const what = `capture ${lines.toLocaleString("en")} lines written one by one: ${title}`;
    const lack = lackForCapture(setting, expectedBytes);
    if (lack !== undefined) {
      rows.push({ what, skipped: lack });
      continue;
    }
    const { native, foreman, node, picc } = await raceCapture(setting, command, expectedBytes);
    rows.push({
      what,
      values: {
        "pi-foreman": formatMs(foreman),
        native: formatMs(native),
        Node: formatMs(node),
        "picc-bash": formatMs(picc),
      },
      checks: [
        checkRatio(foreman, native, 0.9, "the child writing the file"),
        checkRatio(foreman, node, 0.45, "Node `stdout.pipe(file)`"),
      ],
    });
  }
  return rows;
};
