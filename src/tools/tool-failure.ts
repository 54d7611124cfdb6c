// The model may see only the text of an error, so the text starts with what failed.

/** An error whose message starts with the tool's name. An abort stays what it is. */
export function toolFailure(tool: string, error: unknown): Error {
  const cause = error instanceof Error ? error : new Error(String(error));
  return cause.name === "AbortError" ? cause : new Error(`${tool} failed: ${cause.message}.`, { cause });
}
