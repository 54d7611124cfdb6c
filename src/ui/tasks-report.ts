// The text of /tasks.
import { formatTaskHead } from "../format/task-counts.ts";
import { formatTaskLine } from "../format/task-line.ts";
import { countVisible, isVisible, liveBlockers, type Task, type TaskList } from "../tasks/task.ts";
import { plainLine } from "./cells.ts";
import type { RunningCommand } from "./running-commands.ts";

function taskLines(list: TaskList, task: Task): string[] {
  const line = formatTaskLine({ ...task, owner: task.owner, blockedBy: liveBlockers(list, task) });
  const lines = [plainLine(line) + (isVisible(task) ? "" : " [internal]")];
  if (task.activeForm !== undefined) lines.push(`    ${plainLine(task.activeForm)}`);
  for (const part of task.description.split(/\r\n|\r|\n/)) {
    const plain = plainLine(part);
    if (plain !== "") lines.push(`    ${plain}`);
  }
  return lines;
}

function commandLines(commands: readonly RunningCommand[] | undefined, nowMs: number): string[] {
  if (commands === undefined) return [];
  if (commands.length === 0) return ["", "No commands running in the background"];
  return [
    "",
    "Running in the background",
    ...commands.map(({ id, command, startedAtMs }) => {
      const ageS = Math.max(0, Math.round((nowMs - startedAtMs) / 1_000));
      return plainLine(`${id}  ${ageS} s  ${command}`);
    }),
  ];
}

/** Every task with its description, hidden ones too, and what runs in the background. */
export function tasksReport(
  list: TaskList,
  commands: readonly RunningCommand[] | undefined,
  nowMs: number = Date.now(),
): string {
  const tasks =
    list.tasks.length === 0
      ? ["No tasks"]
      : [formatTaskHead(countVisible(list)), ...list.tasks.flatMap((task) => taskLines(list, task))];
  return [...tasks, ...commandLines(commands, nowMs)].join("\n");
}
