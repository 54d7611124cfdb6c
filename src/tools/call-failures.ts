/**
 * Ids of calls whose result is an error. pi passes results through handlers of other extensions, so the flag is set
 * twice: on the result, and again when the result comes by.
 */
export class CallFailures {
  readonly #ids = new Set<string>();

  add(toolCallId: string): void {
    this.#ids.add(toolCallId);
  }

  /** Whether this call failed; forgets it. */
  take(toolCallId: string): boolean {
    return this.#ids.delete(toolCallId);
  }
}
