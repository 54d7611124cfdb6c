/** Said of what goes on without a file; it is not stopped because of that. */
export const NO_FILE_NOTE = "Its further output is lost: no file could be made for it.";

/** What of a task's output nobody can read any more. */
export function describeLostOutput({ code, bytesLost }: { code: string; bytesLost: number }): string {
  return `${bytesLost} bytes of its output could not be written (${code})`;
}
