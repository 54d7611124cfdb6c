// The usual slips of a model, put right before the schema looks: what is certainly meant is repaired, what is not is
// refused with the name of the field that was probably wanted. Nothing is dropped in silence.

export type FieldKind = "title" | "text" | "id" | "ids" | "status" | "object";

export interface ArgumentShape {
  tool: string;
  fields: Readonly<Record<string, FieldKind>>;
  /** Other names that certainly mean a field. Other spellings (`task_id`) need no entry. */
  aliases?: Readonly<Record<string, string>>;
  /** Other names, and the field (or tool) that probably was meant: named in the error, not assumed. */
  meant?: Readonly<Record<string, string>>;
}

/** One spelling for `taskId`, `task_id`, `TaskID`, `task-id`. */
function spelling(name: string): string {
  return name.replace(/[_\s-]/g, "").toLowerCase();
}

function lookUp(table: Readonly<Record<string, string>>, name: string): string | undefined {
  const wanted = spelling(name);
  return Object.entries(table).find(([known]) => spelling(known) === wanted)?.[1];
}

function fieldOf(shape: ArgumentShape, name: string): string | undefined {
  if (Object.hasOwn(shape.fields, name)) return name;
  const own = Object.fromEntries(Object.keys(shape.fields).map((field) => [field, field]));
  return lookUp({ ...shape.aliases, ...own }, name);
}

function unknownField(shape: ArgumentShape, name: string): Error {
  const meant = lookUp(shape.meant ?? {}, name);
  const known = Object.keys(shape.fields);
  const takes = known.length === 0 ? "takes no fields" : `takes ${known.join(", ")}`;
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return new Error(`Unknown field ${JSON.stringify(name)} for ${shape.tool}.${hint} ${shape.tool} ${takes}.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function repairId(value: unknown): unknown {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value.trim().replace(/^#\s*/, "") : value;
}

/** Nothing for a text that was to be JSON and is not: some of its ids may be missing. */
function repairIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(repairId);
  if (typeof value === "number") return [repairId(value)];
  if (typeof value !== "string") return value;
  const parsed = parseJson(value);
  if (Array.isArray(parsed)) return repairIds(parsed);
  if (/^\s*[[{]/.test(value)) return undefined;
  return value
    .split(/[\s,;]+/)
    .filter((id) => id !== "")
    .map(repairId);
}

function repairStatus(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const word = value
    .trim()
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase();
  return word.replace(/[\s-]+/g, "_");
}

function repairObject(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const parsed = parseJson(value);
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? parsed : value;
}

function repairValue(shape: ArgumentShape, field: string, value: unknown): unknown {
  switch (shape.fields[field]) {
    case "id":
      return repairId(value);
    case "ids": {
      const ids = repairIds(value);
      if (ids === undefined) {
        throw new Error(`Field ${field} for ${shape.tool} is no list of ids: ${JSON.stringify(value)}.`);
      }
      return ids;
    }
    case "status":
      return repairStatus(value);
    case "object":
      return repairObject(value);
    default:
      return value;
  }
}

/** What is deleted needs no title any more. */
function checkTitles(shape: ArgumentShape, repaired: Readonly<Record<string, unknown>>): void {
  if (repaired["status"] === "deleted") return;
  for (const [field, value] of Object.entries(repaired)) {
    if (shape.fields[field] === "title" && typeof value === "string" && value.trim() === "") {
      throw new Error(`Empty ${field} for ${shape.tool}: a task needs a title.`);
    }
  }
}

/**
 * The arguments with known slips repaired: other spellings and aliases of field names, ids as numbers or with a `#`, a
 * list of ids as JSON text or a single value, an object as JSON text, `in-progress`, and null for "not given".
 *
 * Errors: a field that is not known (the message names what was probably meant), or that is given twice with two values.
 */
export function repairArguments(shape: ArgumentShape, raw: unknown): Record<string, unknown> {
  // Not an object: the schema has the better words for it.
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return raw as Record<string, unknown>;
  const repaired: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    const field = fieldOf(shape, name);
    if (field === undefined) throw unknownField(shape, name);
    if (value === null || value === undefined) continue;
    const meant = repairValue(shape, field, value);
    if (Object.hasOwn(repaired, field) && JSON.stringify(repaired[field]) !== JSON.stringify(meant)) {
      throw new Error(`Field ${field} for ${shape.tool} is given twice with different values.`);
    }
    repaired[field] = meant;
  }
  checkTitles(shape, repaired);
  return repaired;
}
