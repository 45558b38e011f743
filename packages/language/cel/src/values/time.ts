import { CelError } from './error.js';

const nanosPerSecond = 1_000_000_000n;
const minSeconds = -62135596800n;
const maxSeconds = 253402300799n;
const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

/** Integer division rounding down, as times before 1970 need. */
export const floorDivide = (a: bigint, b: bigint): bigint => {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
};

/** A duration in nanoseconds, within 64 bits. */
export class Duration {
  /** @throws {CelError} if it does not fit 64 bits */
  constructor(readonly nanoseconds: bigint) {
    if (nanoseconds < minInt64 || nanoseconds > maxInt64) {
      throw new CelError('integer overflow');
    }
  }

  toString(): string {
    return `${secondsText(this.nanoseconds)}s`;
  }
}

/** A timestamp between the years 1 and 9999, in nanoseconds since 1970. */
export class Timestamp {
  /** The start of the year 1: Go's zero time. */
  static readonly zero = new Timestamp(minSeconds * nanosPerSecond);

  /**
   * @param offsetMinutes - the original zone, only for `string()`
   * @throws {CelError} outside the range
   */
  constructor(
    readonly nanoseconds: bigint,
    readonly offsetMinutes = 0,
  ) {
    const seconds = floorDivide(nanoseconds, nanosPerSecond);
    if (seconds < minSeconds || seconds > maxSeconds) {
      throw new CelError('timestamp overflow');
    }
  }

  get seconds(): bigint {
    return floorDivide(this.nanoseconds, nanosPerSecond);
  }

  /** RFC 3339, with as many fractional digits as needed. */
  toString(): string {
    const local = this.seconds + BigInt(this.offsetMinutes * 60);
    const nanos = this.nanoseconds - this.seconds * nanosPerSecond;
    const date = new Date(Number(local) * 1000);
    const day = `${String(date.getUTCFullYear()).padStart(4, '0')}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
    const fraction = nanos === 0n ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
    return `${day}T${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}${fraction}${zoneText(this.offsetMinutes)}`;
  }
}

const pad = (value: number): string => String(value).padStart(2, '0');

const zoneText = (minutes: number): string => {
  if (minutes === 0) {
    return 'Z';
  }
  const absolute = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(absolute / 60))}:${pad(absolute % 60)}`;
};

/** Nanoseconds as decimal seconds, as Go prints the float64. */
const secondsText = (nanoseconds: bigint): string => {
  const seconds = Number(nanoseconds / nanosPerSecond) + Number(nanoseconds % nanosPerSecond) / 1e9;
  const text = String(seconds);
  return text.includes('e') ? seconds.toFixed(9).replace(/\.?0+$/, '') : text;
};

const unitNanos: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  '\u00b5s': 1000n,
  '\u03bcs': 1000n,
  ms: 1_000_000n,
  s: nanosPerSecond,
  m: 60n * nanosPerSecond,
  h: 3600n * nanosPerSecond,
};

const durationPart = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

const partNanos = (amount: string, unit: bigint): bigint => {
  const [whole = '', fraction = ''] = amount.split('.');
  const scale = 10n ** BigInt(fraction.length);
  return BigInt(whole || '0') * unit + (BigInt(fraction || '0') * unit) / scale;
};

/** Nanoseconds of a Go duration (`1h2m3.5s`), or undefined. */
export const parseGoDuration = (text: string): bigint | undefined => {
  const sign = /^[+-]/.exec(text)?.[0];
  const body = sign === undefined ? text : text.slice(1);
  if (body === '0') {
    return 0n;
  }
  let nanoseconds = 0n;
  let at = 0;
  while (at < body.length) {
    durationPart.lastIndex = at;
    const [part, amount, unit] = durationPart.exec(body) ?? [];
    if (part === undefined || amount === undefined || unit === undefined) {
      return undefined;
    }
    nanoseconds += partNanos(amount, unitNanos[unit] ?? 0n);
    at += part.length;
  }
  const signed = sign === '-' ? -nanoseconds : nanoseconds;
  return at === 0 || signed < minInt64 || signed > maxInt64 ? undefined : signed;
};

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

const daysIn = (year: number, month: number): number => {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
};

/** Seconds since 1970 of a date and time in UTC, or undefined for a date that does not exist. */
export const utcSeconds = (
  year: number,
  month: number,
  day: number,
  hour = 0,
  minute = 0,
  second = 0,
): bigint | undefined => {
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59) {
    return undefined;
  }
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return BigInt(date.getTime() / 1000);
};

/**
 * Parses RFC 3339 like Go's `time.Parse`; undefined if malformed.
 *
 * @throws {CelError} outside the range of a timestamp
 */
export const parseRfc3339 = (text: string): Timestamp | undefined => {
  const found = rfc3339.exec(text);
  if (found === null) {
    return undefined;
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number);
  const seconds = utcSeconds(year, month, day, hour, minute, second);
  const [fraction = '', sign, zoneHours = '0', zoneMinutes = '0'] = found.slice(7);
  if (seconds === undefined || Number(zoneHours) > 24 || Number(zoneMinutes) > 60) {
    return undefined;
  }
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  const nanos = BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  return new Timestamp((seconds - BigInt(offset * 60)) * nanosPerSecond + nanos, offset);
};
