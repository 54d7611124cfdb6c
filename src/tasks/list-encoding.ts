// A list as the bytes of its file. Between two writes nearly every task is the same object, so its bytes are too.
import type { Task, TaskList } from "./task.ts";

/** Tasks whose bytes are kept together: one change encodes this many again. */
const CHUNK_TASKS = 128;

/** One line per task, so that people and diff can read it. */
function encodeChunk(tasks: readonly Task[], first: number): Buffer {
  let text = "";
  for (let index = first; index < Math.min(first + CHUNK_TASKS, tasks.length); index += 1) {
    text += `${index === 0 ? "\n" : ",\n"}${JSON.stringify(tasks[index])}`;
  }
  return Buffer.from(text);
}

export interface ListEncoder {
  /** The file's content in order; some of the parts may be the same objects as the last time. */
  encode(list: TaskList): Buffer[];
}

/** An encoder that remembers the last list it was given. */
export function createListEncoder(): ListEncoder {
  let lastTasks: readonly Task[] = [];
  let lastChunks: Buffer[] = [];

  function isSame(tasks: readonly Task[], first: number): boolean {
    const end = first + CHUNK_TASKS;
    if (Math.min(end, tasks.length) !== Math.min(end, lastTasks.length)) return false;
    for (let index = first; index < Math.min(end, tasks.length); index += 1) {
      if (tasks[index] !== lastTasks[index]) return false;
    }
    return true;
  }

  return {
    encode({ tasks, highWaterMark, revision }) {
      const chunks: Buffer[] = [];
      for (let first = 0; first < tasks.length; first += CHUNK_TASKS) {
        const known = lastChunks[first / CHUNK_TASKS];
        chunks.push(known !== undefined && isSame(tasks, first) ? known : encodeChunk(tasks, first));
      }
      lastTasks = tasks;
      lastChunks = chunks;
      const end = `${tasks.length === 0 ? "" : "\n"}],"highWaterMark":${highWaterMark},"revision":${revision}}\n`;
      return [Buffer.from('{"tasks":['), ...chunks, Buffer.from(end)];
    },
  };
}
