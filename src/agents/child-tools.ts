import { isGiven, lastValue, type ParentOptions } from "./parent-options.ts";

/** What `--no-builtin-tools` leaves out. */
const BUILT_IN_TOOLS: ReadonlySet<string> = new Set([
  "bash",
  "edit",
  "find",
  "grep",
  "ls",
  "powershell",
  "read",
  "write",
]);

/** Arguments for the tools of a child. A definition may take tools away from what the parent was limited to, and add none. */
export function toolArguments(parent: ParentOptions, wanted: readonly string[] | undefined): string[] {
  const list = lastValue(parent, "--tools");
  const limit = list === undefined ? undefined : entriesOf(list);
  const isLimited = limit !== undefined || isGiven(parent, "--no-tools") || isGiven(parent, "--no-builtin-tools");
  // What such a wish comes to is pi's to find out; then the parent's limit is all that can be said.
  if (wanted === undefined || (isLimited && wanted.some((name) => isModifier(name) || name.includes("*")))) {
    return list === undefined ? [] : ["--tools", list];
  }
  const tools = wanted.filter((name) => isAllowed(parent, limit, name));
  if (tools.length === 0) return ["--no-tools"];
  // A list that names no MCP tool does not keep any from being searched for or called from code; the parent's did.
  const losesMcpLimit = limit?.some(isMcpName) === true && !tools.some(isMcpName);
  return ["--tools", tools.join(","), ...(losesMcpLimit ? ["--no-mcp"] : [])];
}

function isAllowed(parent: ParentOptions, limit: readonly string[] | undefined, tool: string): boolean {
  const isUsual =
    !isGiven(parent, "--no-tools") && !(isGiven(parent, "--no-builtin-tools") && BUILT_IN_TOOLS.has(tool));
  if (limit === undefined) return isUsual;
  if (!limit.some(isModifier)) return limit.some((entry) => matches(entry, tool));
  const last = limit.findLast((entry) => entry.slice(1) === tool);
  return last === undefined ? isUsual : last.startsWith("+");
}

function entriesOf(list: string): string[] {
  return list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** `+name` and `-name` change the usual tools; other entries name all that there are. */
function isModifier(entry: string): boolean {
  return /^[+-]/.test(entry);
}

function isMcpName(entry: string): boolean {
  return entry.startsWith("mcp__");
}

/** `*` stands for anything. */
function matches(entry: string, tool: string): boolean {
  const parts = entry.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(tool);
}
