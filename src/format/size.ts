const UNITS = ["B", "KB", "MB", "GB", "TB"] as const;

/** A number of bytes as a person reads it: `512 B`, `1.5 KB`, `5 GB`. Units of 1024, at most one decimal. */
export function formatSize(bytes: number): string {
  let amount = Math.max(0, Math.floor(Number.isFinite(bytes) ? bytes : 0));
  let unit = 0;
  // 1023.96 KB would round to "1024 KB"; it reads 1 MB.
  while (unit < UNITS.length - 1 && Math.round(amount * 10) >= 10_240) {
    amount /= 1024;
    unit++;
  }
  return `${Math.round(amount * 10) / 10} ${UNITS[unit] ?? "B"}`;
}
