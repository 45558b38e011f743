import { utc, type Zone } from './zone.js';

/** A moment in a zone. */
export interface GoTime {
  /** Nanoseconds since 1970. */
  readonly nanoseconds: bigint;
  readonly zone: Zone;
}

/** Local calendar and clock fields. */
export interface WallTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
  /** From 0, Sunday. */
  readonly weekday: number;
  /** From 1. */
  readonly yearDay: number;
  readonly offset: number;
  readonly abbreviation: string;
}

const billion = 1_000_000_000n;

/** Go's zero time: the first of January of the year 1. */
export const zeroTime: GoTime = { nanoseconds: -62_135_596_800n * billion, zone: utc };

export function fromUnix(seconds: bigint, zone: Zone = utc): GoTime {
  return { nanoseconds: seconds * billion, zone };
}

/** Whole seconds since 1970, rounded down. */
export function unixSeconds({ nanoseconds }: GoTime): bigint {
  return (nanoseconds - modulo(nanoseconds)) / billion;
}

const modulo = (nanoseconds: bigint): bigint => ((nanoseconds % billion) + billion) % billion;

/** Times beyond JavaScript's dates, some 270 000 years, show as the last one. */
const lastSecond = 8_640_000_000_000n;

export function wallTime(time: GoTime): WallTime {
  const seconds = unixSeconds(time);
  const bounded = seconds > lastSecond ? lastSecond : seconds < -lastSecond ? -lastSecond : seconds;
  const { offset, abbreviation } = time.zone.at(bounded);
  const date = new Date(Math.min(Math.max((Number(bounded) + offset) * 1000, -8.64e15), 8.64e15));
  const year = date.getUTCFullYear();
  const start = new Date(0).setUTCFullYear(year);
  return {
    year,
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    nanosecond: Number(modulo(time.nanoseconds)),
    weekday: date.getUTCDay(),
    yearDay: Math.floor((date.getTime() - start) / 86_400_000) + 1,
    offset,
    abbreviation,
  };
}

/** Seconds since 1970 of a date and time in UTC; days and months out of range carry over. */
export function secondsOf(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): bigint {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return BigInt(date.getTime() / 1000);
}
