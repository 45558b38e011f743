import { compareBytes } from '@hawser/json';
import type { Budget } from '../exec/budget.js';
import { GoNumber, numberView } from '../values/go-number.js';
import { GoObject } from '../values/go-object.js';
import type { GoMap, GoValue } from '../values/go-value.js';
import { isList, isMap, isNil } from '../values/types.js';
import { durationText } from '../gotime/duration.js';
import { monthNames, weekdayNames } from '../gotime/calendar.js';
import { formatFloat } from './format-float.js';

/** Keys in the order in which Go prints maps and ranges over them. */
export function sortedKeys(map: GoMap): string[] {
  return Object.keys(map).sort(compareBytes);
}

/** A value as `%v` prints it. `inner` formats elements of lists and maps. */
export function plainText(
  value: GoValue,
  budget: Budget,
  inner: (value: GoValue) => string = (item) => plainText(item, budget),
): string {
  const text = textOf(value, budget, inner);
  budget.charge(text.length);
  return text;
}

function textOf(value: GoValue, budget: Budget, inner: (value: GoValue) => string): string {
  if (isNil(value)) return '<nil>';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  const named = namedText(value);
  if (named !== undefined) return named;
  const number = numberView(value);
  if (number !== undefined)
    return number.kind === 'float' ? formatFloat(number.value, 'g', 'shortest') : number.value.toString();
  budget.charge(8 * (isList(value) ? value.length : isMap(value) ? Object.keys(value).length : 1));
  if (isList(value)) return `[${value.map((item) => inner(item)).join(' ')}]`;
  if (isMap(value))
    return `map[${sortedKeys(value)
      .map((key) => `${inner(key)}:${inner(value[key])}`)
      .join(' ')}]`;
  if (!(value instanceof GoObject)) return 'func()';
  return `${value.kind === 'ptr' ? '&' : ''}{${Object.values(value.fields)
    .map((field) => inner(field))
    .join(' ')}}`;
}

/** Result of the type's `String` method. */
export function namedText(value: GoValue): string | undefined {
  if (value instanceof GoObject) return value.text?.();
  if (!(value instanceof GoNumber)) return undefined;
  if (value.type === 'time.Duration') return durationText(BigInt(value.value));
  if (value.type === 'time.Month') return monthNames[Number(value.value) - 1];
  return value.type === 'time.Weekday' ? weekdayNames[Number(value.value)] : undefined;
}

/** `print`: a space between two arguments unless one is a string. */
export function print(args: readonly GoValue[], budget: Budget): string {
  let result = '';
  args.forEach((arg, index) => {
    if (index > 0 && typeof arg !== 'string' && typeof args[index - 1] !== 'string') result += ' ';
    result += plainText(arg, budget);
  });
  return result;
}

/** `println`: a space between all arguments, and a newline. */
export function println(args: readonly GoValue[], budget: Budget): string {
  return `${args.map((arg) => plainText(arg, budget)).join(' ')}\n`;
}

/** Output of an action. */
export function actionText(value: GoValue, budget: Budget): string {
  return value === undefined || value === null ? '<no value>' : plainText(value, budget);
}
