// The results as a person reads them: one Markdown table, and the same rows on the terminal while they come.

/** Who is measured, in the order of the columns. `native`: no supervisor at all, what the row's name says is done by the kernel alone. */
export const COLUMNS = ["pi-foreman", "native", "Node", "picc-bash", "tree-kill"] as const;
export type Column = (typeof COLUMNS)[number];

/** One promise held against what was seen. */
export interface Check {
  seen: string;
  target: string;
  met: boolean;
}

export interface Row {
  what: string;
  values: Partial<Record<Column, string>>;
  checks: Check[];
}

/** What could not be measured here, and why. */
export interface Skipped {
  what: string;
  skipped: string;
}

/** `ours` at most `limit` times what `name` needs. */
export function checkRatio(ours: number, theirs: number, limit: number, name: string): Check {
  const ratio = ours / theirs;
  return { seen: `${formatNumber(ratio)} × ${name}`, target: `≤ ${limit} × ${name}`, met: ratio <= limit };
}

/** `seen` at most `limit`, both in `unit`. */
export function checkLimit(seen: number, limit: number, unit: string, name: string): Check {
  return { seen: `${formatNumber(seen)} ${unit} ${name}`, target: `≤ ${limit} ${unit} ${name}`, met: seen <= limit };
}

/** A fact that holds or does not. */
export function checkFact(holds: boolean, target: string, otherwise: string): Check {
  return { seen: holds ? "yes" : otherwise, target, met: holds };
}

/** Three significant digits, without an exponent. */
export function formatNumber(n: number): string {
  if (!Number.isFinite(n)) return "?";
  if (n === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(n))));
  return n
    .toFixed(Math.min(digits, 4))
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");
}

/** Milliseconds, or seconds from ten of them on. */
export function formatMs(ms: number): string {
  return ms >= 10_000 ? `${formatNumber(ms / 1000)} s` : `${formatNumber(ms)} ms`;
}

/** The whole table. */
export function markdownTable(rows: readonly (Row | Skipped)[]): string {
  const header = ["what", ...COLUMNS, "ratio or value", "target", "met"];
  const lines = [header, header.map(() => "---"), ...rows.map(cellsOf)];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
}

/** One row for the terminal. */
export function plainRow(row: Row | Skipped): string {
  if ("skipped" in row) return `${row.what}\n    skipped: ${row.skipped}`;
  const values = COLUMNS.filter((column) => row.values[column] !== undefined).map(
    (column) => `${column} ${row.values[column] ?? ""}`,
  );
  const checks = row.checks.map((c) => `    ${c.met ? "met   " : "MISSED"} ${c.seen}  (target ${c.target})`);
  return [`${row.what}\n    ${values.join("; ")}`, ...checks].join("\n");
}

function cellsOf(row: Row | Skipped): string[] {
  if ("skipped" in row) return [row.what, ...COLUMNS.map(() => ""), `skipped: ${row.skipped}`, "", ""];
  const { what, values, checks } = row;
  return [
    what,
    ...COLUMNS.map((column) => values[column] ?? ""),
    checks.map((c) => c.seen).join("<br>"),
    checks.map((c) => c.target).join("<br>"),
    checks.map((c) => (c.met ? "yes" : "**no**")).join("<br>"),
  ];
}
