import { monthNames, weekdayNames } from './calendar.js';
import { type GoTime, secondsOf } from './go-time.js';
import { readLayout } from './layout.js';
import { fixedZone, utc } from './zone.js';

/** Fields read so far. */
interface Fields {
  year: number;
  month: number | undefined;
  day: number | undefined;
  yearDay: number | undefined;
  hour: number;
  minute: number;
  second: number;
  nanosecond: bigint;
  half: 'AM' | 'PM' | undefined;
  offset: number | undefined;
  zone: string;
}

/** Parses a time by a Go layout; UTC without a zone. `undefined`: the text does not match. */
export function parseTime(layout: string, text: string): GoTime | undefined {
  const fields: Fields = {
    year: 0,
    month: undefined,
    day: undefined,
    yearDay: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0n,
    half: undefined,
    offset: undefined,
    zone: '',
  };
  let rest: string | undefined = text;
  const parts = readLayout(layout);
  for (const [index, part] of parts.entries()) {
    rest =
      part.kind === 'literal'
        ? skip(rest, part.text)
        : readElement(part.text, rest, fields, parts[index + 1]?.text ?? '');
    if (rest === undefined) return undefined;
  }
  return rest === '' ? assemble(fields) : undefined;
}

/** The text after a literal; spaces match any number of spaces, even none at the end. */
function skip(text: string, literal: string): string | undefined {
  let rest = text;
  let wanted = literal;
  while (wanted !== '') {
    if (wanted.startsWith(' ')) {
      if (rest !== '' && !rest.startsWith(' ')) return undefined;
      wanted = wanted.replace(/^ +/u, '');
      rest = rest.replace(/^ +/u, '');
    } else {
      if (rest === '' || rest[0] !== wanted[0]) return undefined;
      wanted = wanted.slice(1);
      rest = rest.slice(1);
    }
  }
  return rest;
}

/** One or two digits; `fixed`: exactly two. */
function digits(text: string, fixed: boolean): [number, string] | undefined {
  const [found] = (fixed ? /^\d\d/u : /^\d\d?/u).exec(text) ?? [];
  return found === undefined ? undefined : [Number(found), text.slice(found.length)];
}

function lookup(text: string, names: readonly string[], length?: number): [number, string] | undefined {
  const index = names.findIndex((name) => text.toLowerCase().startsWith(name.slice(0, length).toLowerCase()));
  return index < 0 ? undefined : [index, text.slice(length ?? names[index]?.length ?? 0)];
}

function take(
  read: [number, string] | undefined,
  low: number,
  high: number,
  set: (value: number) => void,
): string | undefined {
  if (read === undefined || read[0] < low || read[0] > high) return undefined;
  set(read[0]);
  return read[1];
}

function readElement(element: string, text: string, fields: Fields, following: string): string | undefined {
  return DATE_ELEMENTS.has(element)
    ? readDateElement(element, text, fields)
    : readClockElement(element, text, fields, following);
}

const DATE_ELEMENTS: ReadonlySet<string> = new Set([
  '2006',
  '06',
  'January',
  'Jan',
  '1',
  '01',
  'Monday',
  'Mon',
  '2',
  '_2',
  '02',
  '__2',
  '002',
]);

function readDateElement(element: string, text: string, fields: Fields): string | undefined {
  switch (element) {
    case '2006':
      return take(/^\d{4}/u.test(text) ? [Number(text.slice(0, 4)), text.slice(4)] : undefined, 0, 9999, (year) => {
        fields.year = year;
      });
    case '06':
      return take(digits(text, true), 0, 99, (year) => {
        fields.year = year >= 69 ? 1900 + year : 2000 + year;
      });
    case 'January':
      return take(lookup(text, monthNames), 0, 11, (month) => {
        fields.month = month + 1;
      });
    case 'Jan':
      return take(lookup(text, monthNames, 3), 0, 11, (month) => {
        fields.month = month + 1;
      });
    case '1':
    case '01':
      return take(digits(text, element === '01'), 1, 12, (month) => {
        fields.month = month;
      });
    case 'Monday':
      return lookup(text, weekdayNames)?.[1];
    case 'Mon':
      return lookup(text, weekdayNames, 3)?.[1];
    case '2':
    case '_2':
    case '02':
      return take(digits(element === '_2' ? text.replace(/^ /u, '') : text, element === '02'), 0, 99, (day) => {
        fields.day = day;
      });
    case '__2':
    case '002': {
      const padded = element === '__2' ? text.slice(0, 2).replaceAll(' ', '0') + text.slice(2) : text;
      return take(/^\d{3}/u.test(padded) ? [Number(padded.slice(0, 3)), padded.slice(3)] : undefined, 1, 366, (day) => {
        fields.yearDay = day;
      });
    }
    default:
      return undefined;
  }
}

/** Elements of the time of day and of the zone. */
function readClockElement(element: string, text: string, fields: Fields, following: string): string | undefined {
  switch (element) {
    case '15':
      return take(digits(text, false), 0, 23, (hour) => {
        fields.hour = hour;
      });
    case '3':
    case '03':
      return take(digits(text, element === '03'), 0, 12, (hour) => {
        fields.hour = hour;
      });
    case '4':
    case '04':
      return take(digits(text, element === '04'), 0, 59, (minute) => {
        fields.minute = minute;
      });
    case '5':
    case '05': {
      const rest = take(digits(text, element === '05'), 0, 59, (second) => {
        fields.second = second;
      });
      // A fraction may follow even if the layout has none.
      const [fraction] = rest === undefined || /^[.,]/u.test(following) ? [] : (/^[.,]\d+/u.exec(rest) ?? []);
      return fraction === undefined ? rest : readFraction(fraction, rest ?? '', fields);
    }
    case 'PM':
    case 'pm': {
      const half = text.slice(0, 2);
      const upper = element === 'PM' ? half : half.toUpperCase();
      if ((upper !== 'AM' && upper !== 'PM') || (element === 'pm' && half !== half.toLowerCase())) return undefined;
      fields.half = upper;
      return text.slice(2);
    }
    case 'MST': {
      const [name] = /^(?:UTC|GMT(?:[+-]\d{1,2})?|[+-]\d\d|[A-Z]{3,5})/u.exec(text) ?? [];
      if (name === undefined) return undefined;
      if (name === 'UTC') fields.offset = 0;
      fields.zone = name;
      return text.slice(name.length);
    }
    default:
      return '.,'.includes(element.charAt(0))
        ? readFractionElement(element, text, fields)
        : readOffset(element, text, fields);
  }
}

function readFraction(fraction: string, text: string, fields: Fields): string {
  fields.nanosecond = BigInt(fraction.slice(1).slice(0, 9).padEnd(9, '0'));
  return text.slice(fraction.length);
}

function readFractionElement(element: string, text: string, fields: Fields): string | undefined {
  const exact = element.charAt(1) === '0';
  const [fraction] = (exact ? new RegExp(`^[.,]\\d{${element.length - 1}}`, 'u') : /^[.,]\d+/u).exec(text) ?? [];
  if (fraction !== undefined) return readFraction(fraction, text, fields);
  return exact ? undefined : text;
}

function readOffset(element: string, text: string, fields: Fields): string | undefined {
  if (element.startsWith('Z') && text.startsWith('Z')) {
    fields.offset = 0;
    return text.slice(1);
  }
  const form = element.slice(1).replaceAll(':', '').length / 2;
  const colon = element.includes(':') ? ':' : '';
  const pattern = new RegExp(
    `^([+-])(\\d\\d)${form > 1 ? `${colon}(\\d\\d)` : ''}${form > 2 ? `${colon}(\\d\\d)` : ''}`,
    'u',
  );
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [whole, sign, hours = '0', minutes = '0', seconds = '0'] = match;
  if (Number(hours) > 24 || Number(minutes) > 60 || Number(seconds) > 60) return undefined;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  fields.offset = sign === '-' ? -size : size;
  return text.slice(whole.length);
}

function assemble(fields: Fields): GoTime | undefined {
  const { year, yearDay, offset, zone } = fields;
  let { month, day, hour } = fields;
  if (fields.half === 'PM' && hour < 12) hour += 12;
  else if (fields.half === 'AM' && hour === 12) hour = 0;
  if (yearDay !== undefined) {
    const date = new Date(Number(secondsOf(year, 1, yearDay, 0, 0, 0)) * 1000);
    if (date.getUTCFullYear() !== year) return undefined;
    if ((month !== undefined && month !== date.getUTCMonth() + 1) || (day !== undefined && day !== date.getUTCDate()))
      return undefined;
    [month, day] = [date.getUTCMonth() + 1, date.getUTCDate()];
  }
  month ??= 1;
  day ??= 1;
  if (day < 1 || new Date(Number(secondsOf(year, month, day, 0, 0, 0)) * 1000).getUTCMonth() + 1 !== month)
    return undefined;
  const seconds = secondsOf(year, month, day, hour, fields.minute, fields.second);
  const nanoseconds = (shift: number): bigint => (seconds - BigInt(shift)) * 1_000_000_000n + fields.nanosecond;
  if (offset !== undefined)
    return {
      nanoseconds: nanoseconds(offset),
      zone: offset === 0 && (zone === '' || zone === 'UTC') ? utc : fixedZone(zone, offset),
    };
  if (zone === '') return { nanoseconds: nanoseconds(0), zone: utc };
  // An abbreviation has no known offset; even one to GMT only changes how the time is shown.
  const known = /^GMT([+-]\d+)$/u.exec(zone)?.[1];
  const shift = known === undefined ? 0 : Number(known) * 3600;
  return { nanoseconds: nanoseconds(0), zone: fixedZone(zone, shift) };
}
