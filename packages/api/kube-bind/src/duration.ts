// Go durations, the form of `metav1.Duration` (spec/kube-bind-api.md §4).

const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a Go duration such as `5m0s`, `1h30m`, `300s`, `-1.5h`; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^([+-]?)(0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/u.exec(text);
  if (match === null) return undefined;
  let ms = 0;
  for (const [, amount, unit] of (match[2] ?? '').matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gu)) {
    ms += Number(amount) * (unitsMs[unit ?? ''] ?? 0);
  }
  return match[1] === '-' ? -ms : ms;
}

/** The canonical form of Go: `5m0s`, `1h0m0s`, `30s`, `1.5s`, `250ms`, `0s`. Milliseconds are the finest unit. */
export function formatDuration(ms: number): string {
  const whole = Math.round(Math.abs(ms));
  if (whole === 0) return '0s';
  const sign = ms < 0 ? '-' : '';
  if (whole < 1000) return `${sign}${whole}ms`;
  const hours = Math.floor(whole / 3_600_000);
  const minutes = Math.floor((whole % 3_600_000) / 60_000);
  const seconds = (whole % 60_000) / 1000;
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}s`;
  if (minutes > 0) return `${sign}${minutes}m${seconds}s`;
  return `${sign}${seconds}s`;
}
