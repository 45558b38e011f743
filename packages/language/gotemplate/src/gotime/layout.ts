import { monthNames, weekdayNames } from './calendar.js';
import { type GoTime, wallTime, type WallTime } from './go-time.js';

/** Part of a Go layout: literal text, or an element of the reference time. */
export type LayoutPart =
  { readonly kind: 'literal'; readonly text: string } | { readonly kind: 'element'; readonly text: string };

const ELEMENT =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|0[1-6]|002|15|1|2006|2|__2|_2(?!006)|3|4|5|PM|pm|-070000|-07:00:00|-0700|-07:00|-07|Z070000|Z07:00:00|Z0700|Z07:00|Z07|[.,](?:0+|9+)(?![0-9])/gu;

export function readLayout(layout: string): LayoutPart[] {
  const parts: LayoutPart[] = [];
  let end = 0;
  for (const match of layout.matchAll(ELEMENT)) {
    if (match.index > end) parts.push({ kind: 'literal', text: layout.slice(end, match.index) });
    parts.push({ kind: 'element', text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < layout.length) parts.push({ kind: 'literal', text: layout.slice(end) });
  return parts;
}

/** Formats a time by a Go layout, such as `2006-01-02T15:04:05Z07:00`. */
export function formatTime(time: GoTime, layout: string): string {
  const wall = wallTime(time);
  return readLayout(layout)
    .map(({ kind, text }) => (kind === 'literal' ? text : element(text, wall)))
    .join('');
}

const two = (value: number): string => String(value).padStart(2, '0');

function element(text: string, wall: WallTime): string {
  switch (text) {
    case 'January':
      return monthNames[wall.month - 1] ?? '';
    case 'Jan':
      return (monthNames[wall.month - 1] ?? '').slice(0, 3);
    case '1':
      return String(wall.month);
    case '01':
      return two(wall.month);
    case 'Monday':
      return weekdayNames[wall.weekday] ?? '';
    case 'Mon':
      return (weekdayNames[wall.weekday] ?? '').slice(0, 3);
    case '2':
      return String(wall.day);
    case '_2':
      return String(wall.day).padStart(2);
    case '02':
      return two(wall.day);
    case '__2':
      return String(wall.yearDay).padStart(3);
    case '002':
      return String(wall.yearDay).padStart(3, '0');
    case '15':
      return two(wall.hour);
    case '3':
      return String(wall.hour % 12 || 12);
    case '03':
      return two(wall.hour % 12 || 12);
    case '4':
      return String(wall.minute);
    case '04':
      return two(wall.minute);
    case '5':
      return String(wall.second);
    case '05':
      return two(wall.second);
    case '2006':
      return wall.year < 0 ? `-${String(-wall.year).padStart(4, '0')}` : String(wall.year).padStart(4, '0');
    case '06':
      return two(((wall.year % 100) + 100) % 100);
    case 'PM':
      return wall.hour >= 12 ? 'PM' : 'AM';
    case 'pm':
      return wall.hour >= 12 ? 'pm' : 'am';
    case 'MST':
      return wall.abbreviation === '' ? offsetText(wall.offset, '-0700') : wall.abbreviation;
    default:
      return '.,'.includes(text.charAt(0)) ? fraction(text, wall.nanosecond) : offsetElement(text, wall.offset);
  }
}

function fraction(text: string, nanosecond: number): string {
  const digits = String(nanosecond)
    .padStart(9, '0')
    .padEnd(text.length - 1, '0')
    .slice(0, text.length - 1);
  if (text.charAt(1) === '0') return text.charAt(0) + digits;
  const trimmed = digits.replace(/0+$/u, '');
  return trimmed === '' ? '' : text.charAt(0) + trimmed;
}

function offsetElement(text: string, offset: number): string {
  if (text.startsWith('Z')) return offset === 0 ? 'Z' : offsetText(offset, `-${text.slice(1)}`);
  return offsetText(offset, text);
}

function offsetText(offset: number, form: string): string {
  const size = Math.abs(offset);
  const colon = form.includes(':') ? ':' : '';
  const parts = [two(Math.trunc(size / 3600)), two(Math.trunc((size % 3600) / 60)), two(size % 60)];
  const count = form.replaceAll(':', '').length === 7 ? 3 : form.length === 3 ? 1 : 2;
  return (offset < 0 ? '-' : '+') + parts.slice(0, count).join(colon);
}
