import * as Type from "typebox";

/** An object with any keys. Not `Type.Record`: that writes patternProperties, which some providers refuse. */
export function freeObject(description: string): Type.TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, description });
}
