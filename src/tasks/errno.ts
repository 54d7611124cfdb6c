// What the system said, in a form that code can branch on and a person can read.

/** The errno name of a failed system call (`ENOSPC`), or nothing when the error is of another kind. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return error.code;
}

/** One line for a message: the errno name where there is one, the error's own words otherwise. */
export function reasonOf(error: unknown): string {
  return errnoOf(error) ?? (error instanceof Error ? error.message : String(error));
}
