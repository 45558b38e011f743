const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** `full-date` of RFC 3339, of the calendar. */
export function isDate(text: string): boolean {
  const [, year, month, day] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text) ?? [];
  const days = DAYS[Number(month) - 1];
  if (days === undefined) return false;
  return Number(day) >= 1 && Number(day) <= (month === '02' && isLeap(Number(year)) ? 29 : days);
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** `date-time` of RFC 3339. Ignores the text after a second `t`. */
export function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const [, hours = '', minutes = '', seconds = ''] =
    /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/u.exec(time) ?? [];
  return hours !== '' && hours <= '23' && minutes <= '59' && seconds <= '59';
}

const GO_NANOSECONDS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const GO_DURATION = /^[-+]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const SCALA_UNITS = ['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk'];
const SCALA_STEMS = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week'];

/** A duration of Go (`1h30m`) or of Scala (`22 nanoseconds`), anywhere in the text. */
export function isDuration(text: string): boolean {
  if (isGoDuration(text)) return true;
  let found = false;
  for (const [, count = '', written = ''] of text.matchAll(/([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    if (BigInt(count) > 2n ** 63n - 1n) return false;
    const unit = written.toLowerCase();
    found ||= SCALA_UNITS.includes(unit) || SCALA_STEMS.some((stem) => unit.startsWith(stem));
  }
  return found;
}

function isGoDuration(text: string): boolean {
  if (!GO_DURATION.test(text)) return false;
  let total = 0n;
  for (const [, whole = '', unit = ''] of text.matchAll(/([0-9]*)(?:\.[0-9]*)?(ns|us|µs|μs|ms|s|m|h)/g))
    total += BigInt(whole === '' ? 0 : whole) * (GO_NANOSECONDS.get(unit) ?? 0n);
  return total < 2n ** 63n;
}
