/** Nanoseconds by unit, the longest first. */
export const nanoseconds = {
  hour: 3_600_000_000_000n,
  minute: 60_000_000_000n,
  second: 1_000_000_000n,
  milli: 1_000_000n,
  micro: 1_000n,
} as const;

/** A duration in nanoseconds as Go prints it: `1h2m3.5s`, `2ms`, `0s`. */
export function durationText(duration: bigint): string {
  if (duration === 0n) return '0s';
  const sign = duration < 0n ? '-' : '';
  const positive = duration < 0n ? -duration : duration;
  if (positive < nanoseconds.micro) return `${sign}${positive}ns`;
  if (positive < nanoseconds.milli) return `${sign}${decimal(positive, nanoseconds.micro)}µs`;
  if (positive < nanoseconds.second) return `${sign}${decimal(positive, nanoseconds.milli)}ms`;
  const hours = positive / nanoseconds.hour;
  const minutes = (positive / nanoseconds.minute) % 60n;
  const seconds = `${decimal(positive % nanoseconds.minute, nanoseconds.second)}s`;
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}` : sign + seconds;
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/u, '');
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`;
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: nanoseconds.milli,
  s: nanoseconds.second,
  m: nanoseconds.minute,
  h: nanoseconds.hour,
};
const PART = /([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)/uy;

/** Nanoseconds of a text such as `1h30m`. `undefined`: not a duration. */
export function parseDuration(text: string): bigint | undefined {
  const body = text.replace(/^[+-]/u, '');
  if (body === '0') return 0n;
  // No valid duration is longer.
  if (body === '' || body.length > 200) return undefined;
  let total = 0n;
  for (let index = 0; index < body.length;) {
    PART.lastIndex = index;
    const [whole = '', digits = '', fraction = '', unit = ''] = PART.exec(body) ?? [];
    if (whole === '' || digits + fraction === '') return undefined;
    const size = UNITS[unit] ?? 0n;
    total +=
      BigInt(digits === '' ? 0 : digits) * size +
      (fraction === '' ? 0n : (BigInt(fraction) * size) / 10n ** BigInt(fraction.length));
    if (total > 2n ** 63n) return undefined;
    index += whole.length;
  }
  if (text.startsWith('-')) return -total;
  return total >= 2n ** 63n ? undefined : total;
}
