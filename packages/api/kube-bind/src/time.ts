/** A point in time: a Date, or milliseconds since the epoch. */
export type Instant = Date | number;

/** `metav1.Time` as the peers write it: UTC, whole seconds (truncated), `Z`. */
export function formatTime(instant: Instant): string {
  const ms = typeof instant === 'number' ? instant : instant.getTime();
  return `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since the epoch of an RFC 3339 time; undefined if absent or malformed. */
export function parseTime(time: string | undefined): number | undefined {
  if (time === undefined || !rfc3339.test(time)) return undefined;
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/u;
