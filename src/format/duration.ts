const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * A span as a person reads it: `0s`, `59s`, `2m 0s`, `1h 2m 3s`, `1d 2h 3m`.
 *
 * Units: under a minute whole seconds that have passed (59 999 ms is still `59s`); above, rounded to the second with
 * carry, and without the seconds once there are days. A negative or unusable span reads `0s`.
 */
export function formatDuration(durationMs: number): string {
  if (!Number.isFinite(durationMs) || durationMs <= 0) return "0s";
  if (durationMs < MINUTE_MS) return `${Math.floor(durationMs / SECOND_MS)}s`;
  const roundedMs = Math.round(durationMs / SECOND_MS) * SECOND_MS;
  const days = Math.floor(roundedMs / DAY_MS);
  const hours = Math.floor((roundedMs % DAY_MS) / HOUR_MS);
  const minutes = Math.floor((roundedMs % HOUR_MS) / MINUTE_MS);
  const seconds = (roundedMs % MINUTE_MS) / SECOND_MS;
  if (days > 0) return `${days}d ${hours}h ${minutes}m`;
  if (hours > 0) return `${hours}h ${minutes}m ${seconds}s`;
  return `${minutes}m ${seconds}s`;
}

/** A limit as a person would have written it: `500ms`, `1.5s`, `2m`, `1h 30m`. */
export function formatLimit(limitMs: number): string {
  if (limitMs < SECOND_MS) return `${Math.round(limitMs)}ms`;
  if (limitMs < MINUTE_MS) return `${Math.round(limitMs / 100) / 10}s`;
  return formatDuration(limitMs).replace(/(?: 0[hms])+$/, "");
}
