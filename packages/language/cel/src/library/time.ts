import { type Library, method } from '../check/declarations.js';
import { types } from '../check/type.js';
import { CelError } from '../values/error.js';
import { Duration, Timestamp } from '../values/time.js';
import type { Value } from '../values/value.js';
import { instance, text } from './arguments.js';

const nanosPerSecond = 1_000_000_000n;

/** Local time of a zone: a date whose UTC fields are the local ones. */
type LocalDate = Date;

const formatters = new Map<string, Intl.DateTimeFormat>();

const formatterOf = (zone: string): Intl.DateTimeFormat => {
  const known = formatters.get(zone);
  if (known !== undefined) {
    return known;
  }
  try {
    const formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      era: 'short',
    });
    formatters.set(zone, formatter);
    return formatter;
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
};

const inNamedZone = (milliseconds: number, zone: string): LocalDate => {
  const parts = new Map(
    formatterOf(zone)
      .formatToParts(milliseconds)
      .map(({ type, value }) => [type, value]),
  );
  const field = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name));
  const year = parts.get('era') === 'BC' ? 1 - field('year') : field('year');
  const local = new Date(0);
  local.setUTCFullYear(year, field('month') - 1, field('day'));
  local.setUTCHours(field('hour'), field('minute'), field('second'));
  return local;
};

const number = (digits: string): number => {
  if (!/^[+-]?\d+$/.test(digits)) {
    throw new CelError(`strconv.Atoi: parsing "${digits}": invalid syntax`);
  }
  return Number(digits);
};

/** Minutes east of UTC of `+05:30`. */
const offsetMinutes = (zone: string): number => {
  const colon = zone.indexOf(':');
  const [hours, minutes] = [number(zone.slice(0, colon)), number(zone.slice(colon + 1))];
  return zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes;
};

const localDate = (timestamp: Timestamp, zone: string): LocalDate => {
  const milliseconds = Number(timestamp.seconds) * 1000;
  if (zone === '' || zone === 'UTC') {
    return new Date(milliseconds);
  }
  return zone.includes(':') ? new Date(milliseconds + offsetMinutes(zone) * 60_000) : inNamedZone(milliseconds, zone);
};

const dayOfYear = (date: LocalDate): number => {
  const start = new Date(0);
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start.getTime()) / 86_400_000);
};

const getters: readonly (readonly [string, (date: LocalDate) => number])[] = [
  ['getFullYear', (date) => date.getUTCFullYear()],
  ['getMonth', (date) => date.getUTCMonth()],
  ['getDayOfYear', dayOfYear],
  ['getDayOfMonth', (date) => date.getUTCDate() - 1],
  ['getDate', (date) => date.getUTCDate()],
  ['getDayOfWeek', (date) => date.getUTCDay()],
  ['getHours', (date) => date.getUTCHours()],
  ['getMinutes', (date) => date.getUTCMinutes()],
  ['getSeconds', (date) => date.getUTCSeconds()],
];

const milliseconds = (value: Value | undefined): bigint => {
  const { nanoseconds, seconds } = instance(Timestamp, value);
  return (nanoseconds - seconds * nanosPerSecond) / 1_000_000n;
};

const { duration, int, string, timestamp } = types;

const units: readonly (readonly [string, bigint])[] = [
  ['getHours', 3600n * nanosPerSecond],
  ['getMinutes', 60n * nanosPerSecond],
  ['getSeconds', nanosPerSecond],
  ['getMilliseconds', 1_000_000n],
];

/** Components of a timestamp or duration. Timestamps are in UTC unless a zone is given. */
export const time: Library = [
  ...getters.flatMap(([name, get]) => [
    method(name, [timestamp], int, (moment) => BigInt(get(localDate(instance(Timestamp, moment), 'UTC')))),
    method(name, [timestamp, string], int, (moment, zone) =>
      BigInt(get(localDate(instance(Timestamp, moment), text(zone)))),
    ),
  ]),
  method('getMilliseconds', [timestamp], int, milliseconds),
  method('getMilliseconds', [timestamp, string], int, (moment, zone) => {
    localDate(instance(Timestamp, moment), text(zone));
    return milliseconds(moment);
  }),
  ...units.map(([name, unit]) =>
    method(name, [duration], int, (length) => instance(Duration, length).nanoseconds / unit),
  ),
];
