// What is said after a result when a copy of the list could not be written.

export interface SaveTrouble {
  /** Why the session entry could not be appended. */
  session?: string;
  disk?: { path: string; reason: string };
}

/** Text to append to the result; empty when both copies were written. */
export function formatSaveNote(trouble: SaveTrouble): string {
  const { session, disk } = trouble;
  if (session !== undefined && disk !== undefined) {
    return `\n\nWarning: this change is in memory only and will be lost when the session ends. The session could not be written (${session}), nor ${disk.path} (${disk.reason}).`;
  }
  if (disk !== undefined) {
    return `\n\nNote: the copy of the task list in ${disk.path} could not be written (${disk.reason}); the list is kept in the session.`;
  }
  if (session !== undefined) {
    return `\n\nNote: the task list could not be written to the session (${session}); it is kept on disk.`;
  }
  return "";
}
