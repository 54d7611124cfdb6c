import { createListEncoder } from "../../src/tasks/list-encoding.ts";
import type { TaskList } from "../../src/tasks/task.ts";

/** The text of a list's file. */
export const encodeList = (list: TaskList): string => Buffer.concat(createListEncoder().encode(list)).toString();
