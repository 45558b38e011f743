import { CelError } from '../values/error.js';
import { Duration, parseGoDuration, parseRfc3339, Timestamp, utcSeconds } from '../values/time.js';
import type { Value } from '../values/value.js';

const nanosPerSecond = 1_000_000_000n;

/** Units besides Go's, canonical name first; any suffix may follow the last of each (`days`). */
const units: readonly (readonly [nanoseconds: bigint, variants: readonly string[]])[] = [
  [1n, ['ns', 'nano']],
  [1000n, ['us', '\u00b5s', 'micro']],
  [1_000_000n, ['ms', 'milli']],
  [nanosPerSecond, ['s', 'sec']],
  [60n * nanosPerSecond, ['m', 'min']],
  [3600n * nanosPerSecond, ['h', 'hr', 'hour']],
  [86400n * nanosPerSecond, ['d', 'day']],
  [604800n * nanosPerSecond, ['w', 'wk', 'week']],
];

const parseDuration = (text: string): Duration => {
  const nanoseconds = parseGoDuration(text);
  if (nanoseconds !== undefined) {
    return new Duration(nanoseconds);
  }
  let total: bigint | undefined;
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+)\s*([A-Za-z\u00b5]+)/g)) {
    const lower = unit.toLowerCase();
    for (const [factor, variants] of units) {
      const matching = variants.filter(
        (variant, index) => variant === lower || (index === variants.length - 1 && lower.startsWith(variant)),
      );
      total = matching.length === 0 ? total : (total ?? 0n) + BigInt(amount) * factor * BigInt(matching.length);
    }
  }
  if (total === undefined) {
    throw new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
  }
  return new Duration(total);
};

const dayStart = (text: string): bigint | undefined => {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  return year === undefined ? undefined : utcSeconds(Number(year), Number(month), Number(day));
};

const parseDate = (text: string): Timestamp => {
  const seconds = dayStart(text);
  if (seconds === undefined) {
    throw new CelError(
      `Invalid date formatted string ${text}: parsing time "${text}" as "2006-01-02": cannot parse "${text}" as "2006-01-02"`,
    );
  }
  return new Timestamp(seconds * nanosPerSecond);
};

const parseDateTime = (text: string): Timestamp => {
  if (text === '') {
    return new Timestamp(0n);
  }
  const parsed = parseRfc3339(text) ?? parseRfc3339(`${text}Z`);
  if (parsed === undefined) {
    throw new CelError(
      `Invalid date-time formatted string ${text}: parsing time "${text}" as "2006-01-02T15:04:05": cannot parse "${text}" as "2006"`,
    );
  }
  return parsed;
};

const parseBytes = (text: string): Uint8Array => {
  const compact = text.replace(/[\r\n]/g, '');
  const bad = /[^A-Za-z0-9\-_=]/.exec(compact);
  if (bad !== null || compact.length % 4 !== 0 || !/^[^=]*={0,2}$/.test(compact)) {
    throw new CelError(
      `Invalid byte formatted string ${text}: illegal base64 data at input byte ${bad?.index ?? compact.length}`,
    );
  }
  return Uint8Array.from(Buffer.from(compact, 'base64url'));
};

const formats: ReadonlyMap<string | undefined, (text: string) => Value> = new Map<string, (text: string) => Value>([
  ['duration', parseDuration],
  ['date', parseDate],
  ['date-time', parseDateTime],
  ['byte', parseBytes],
]);

/**
 * Converts a string by its format: text, timestamp, duration or bytes.
 * @throws {CelError}
 */
export const convertString = (text: string, format: string | undefined): Value => formats.get(format)?.(text) ?? text;
