import { durationText, nanoseconds, parseDuration } from '../gotime/duration.js';
import { fromUnix, type GoTime, unixSeconds, zeroTime } from '../gotime/go-time.js';
import { formatTime } from '../gotime/layout.js';
import { parseTime } from '../gotime/parse-time.js';
import { namedZone, utc } from '../gotime/zone.js';
import { fn, type FunctionMap } from '../template-function.js';
import type { Budget } from '../exec/budget.js';
import { numberView } from '../values/go-number.js';
import { GoObject } from '../values/go-object.js';
import type { GoValue } from '../values/go-value.js';
import type { SprigOptions } from './options.js';
import { timeObject, timeOf } from './time-object.js';

/** An offset lookup costs more than most functions. */
const zoneCost = 1000;

function isTime(value: GoValue): value is GoObject {
  return value instanceof GoObject && value.type === 'time.Time';
}

/** Only from an `int64`, the type of JSON integers. */
function int64Of(value: GoValue): bigint | undefined {
  const number = numberView(value);
  return number?.kind === 'int' && number.type === 'int64' ? number.value : undefined;
}

function roundedDuration(duration: bigint): string {
  const size = duration < 0n ? -duration : duration;
  const day = 24n * nanoseconds.hour;
  const units: readonly (readonly [bigint, string])[] = [
    [365n * day, 'y'],
    [30n * day, 'mo'],
    [day, 'd'],
    [nanoseconds.hour, 'h'],
    [nanoseconds.minute, 'm'],
    [nanoseconds.second, 's'],
  ];
  for (const [unit, name] of units) if (size > unit) return `${size / unit}${name}`;
  return '0s';
}

/** To the nearest second, halves away from zero. */
function toSeconds(duration: bigint): bigint {
  const rest = duration % nanoseconds.second;
  const away =
    rest * 2n >= nanoseconds.second ? nanoseconds.second : rest * 2n <= -nanoseconds.second ? -nanoseconds.second : 0n;
  return duration - rest + away;
}

const decimalInt64 = (text: string): bigint =>
  /^[+-]?[0-9]{1,18}$/u.test(text) ? BigInt(text.replace(/^\+/u, '')) : 0n;

export function dates({ clock }: SprigOptions): FunctionMap {
  const now = (): GoTime => ({ nanoseconds: BigInt(Math.trunc(clock.now())) * nanoseconds.milli, zone: utc });
  /** Anything but a time means now. */
  const momentOf = (value: GoValue, types: readonly string[]): GoTime => {
    if (isTime(value)) return timeOf(value);
    const number = numberView(value);
    return number?.kind === 'int' && types.includes(number.type) ? fromUnix(number.value) : now();
  };
  const format = (layout: string, value: GoValue, zone: string, budget: Budget): string => {
    budget.charge(zoneCost);
    return formatTime({ ...momentOf(value, ['int64', 'int', 'int32']), zone: namedZone(zone) ?? utc }, layout);
  };
  const dateInZone = fn(['string', 'any', 'string'], (layout, value, zone, { budget }) =>
    format(layout, value, zone, budget),
  );
  const modify = (required: boolean) =>
    fn(['string', 'time.Time'], (change, date) => {
      const duration = parseDuration(change);
      if (duration !== undefined)
        return timeObject({ ...timeOf(date), nanoseconds: timeOf(date).nanoseconds + duration });
      if (required) throw new Error('the text is not a duration');
      return date;
    });
  const toDate = (required: boolean) =>
    fn(['string', 'string'], (layout, text) => {
      const time = parseTime(layout, text);
      if (time === undefined && required) throw new Error('the text is not a time of this layout');
      return timeObject(time ?? zeroTime);
    });
  return {
    now: fn([], () => timeObject(now())),
    ago: fn(['any'], (value) =>
      durationText(toSeconds(now().nanoseconds - momentOf(value, ['int64', 'int']).nanoseconds)),
    ),
    date: fn(['string', 'any'], (layout, value, { budget }) => format(layout, value, 'Local', budget)),
    dateInZone,
    date_in_zone: dateInZone,
    htmlDate: fn(['any'], (value, { budget }) => format('2006-01-02', value, 'Local', budget)),
    htmlDateInZone: fn(['any', 'string'], (value, zone, { budget }) => format('2006-01-02', value, zone, budget)),
    dateModify: modify(false),
    date_modify: modify(false),
    mustDateModify: modify(true),
    must_date_modify: modify(true),
    toDate: toDate(false),
    mustToDate: toDate(true),
    unixEpoch: fn(['time.Time'], (date) => unixSeconds(timeOf(date)).toString()),
    duration: fn(['any'], (value) =>
      durationText(
        BigInt.asIntN(
          64,
          (typeof value === 'string' ? decimalInt64(value) : (int64Of(value) ?? 0n)) * nanoseconds.second,
        ),
      ),
    ),
    durationRound: fn(['any'], (value) => {
      if (isTime(value)) return roundedDuration(now().nanoseconds - timeOf(value).nanoseconds);
      return roundedDuration(typeof value === 'string' ? (parseDuration(value) ?? 0n) : (int64Of(value) ?? 0n));
    }),
  };
}
