import { formatTime } from '../gotime/layout.js';
import { type GoTime, secondsOf, unixSeconds, wallTime, type WallTime, zeroTime } from '../gotime/go-time.js';
import { utc } from '../gotime/zone.js';
import { fn, type TemplateFunction } from '../template-function.js';
import { GoNumber, int, int64 } from '../values/go-number.js';
import { GoObject } from '../values/go-object.js';

/** The time in a `time.Time`. */
export function timeOf(object: GoObject): GoTime {
  return object.held as GoTime;
}

/** Go's `time.Time`, with the methods that templates use. */
export function timeObject(time: GoTime): GoObject {
  const wall = (pick: (wall: WallTime) => number): TemplateFunction => fn([], () => int(pick(wallTime(time))));
  const compared = (test: (difference: bigint) => boolean): TemplateFunction =>
    fn(['time.Time'], (other) => test(time.nanoseconds - timeOf(other).nanoseconds));
  const text = (): string => formatTime(time, '2006-01-02 15:04:05.999999999 -0700 MST');
  const inUtc = fn([], () => timeObject({ ...time, zone: utc }));
  return new GoObject({
    type: 'time.Time',
    held: time,
    text,
    json: () => formatTime(time, '2006-01-02T15:04:05.999999999Z07:00'),
    methods: () => ({
      String: fn([], text),
      Format: fn(['string'], (layout) => formatTime(time, layout)),
      Unix: fn([], () => int64(unixSeconds(time))),
      UnixMilli: fn([], () => int64(time.nanoseconds / 1_000_000n)),
      UnixMicro: fn([], () => int64(time.nanoseconds / 1_000n)),
      UnixNano: fn([], () => int64(time.nanoseconds)),
      Year: wall(({ year }) => year),
      Month: fn([], () => new GoNumber('time.Month', BigInt(wallTime(time).month))),
      Day: wall(({ day }) => day),
      Hour: wall(({ hour }) => hour),
      Minute: wall(({ minute }) => minute),
      Second: wall(({ second }) => second),
      Nanosecond: wall(({ nanosecond }) => nanosecond),
      YearDay: wall(({ yearDay }) => yearDay),
      Weekday: fn([], () => new GoNumber('time.Weekday', BigInt(wallTime(time).weekday))),
      UTC: inUtc,
      Local: inUtc,
      IsZero: fn([], () => time.nanoseconds === zeroTime.nanoseconds),
      Add: fn(['time.Duration'], (duration) => timeObject({ ...time, nanoseconds: time.nanoseconds + duration })),
      AddDate: fn(['int', 'int', 'int'], (years, months, days) => timeObject(addDate(time, years, months, days))),
      Sub: fn(['time.Time'], (other) => new GoNumber('time.Duration', time.nanoseconds - timeOf(other).nanoseconds)),
      Before: compared((difference) => difference < 0n),
      After: compared((difference) => difference > 0n),
      Equal: compared((difference) => difference === 0n),
    }),
  });
}

function addDate(time: GoTime, years: number, months: number, days: number): GoTime {
  const { year, month, day, hour, minute, second, nanosecond, offset } = wallTime(time);
  const seconds = secondsOf(year + years, month + months, day + days, hour, minute, second) - BigInt(offset);
  return { ...time, nanoseconds: seconds * 1_000_000_000n + BigInt(nanosecond) };
}
