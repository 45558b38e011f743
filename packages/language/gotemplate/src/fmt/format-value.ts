import type { Budget } from '../exec/budget.js';
import { fromBytes, toBytes } from '../values/bytes.js';
import { type NumberView, numberView } from '../values/go-number.js';
import { GoObject } from '../values/go-object.js';
import type { GoValue } from '../values/go-value.js';
import { isList, isMap, isNil, typeName } from '../values/types.js';
import { binaryFloat, hexFloat } from './binary-float.js';
import { formatFloat } from './format-float.js';
import { goSyntax } from './go-syntax.js';
import { namedText, sortedKeys } from './print.js';
import { canBackquote, hexOf, isPrintable, quoteGo } from './quote.js';
import { runeCount } from './rune-count.js';

/** Flags between `%` and the verb. */
export interface Flags {
  readonly plus: boolean;
  readonly minus: boolean;
  readonly sharp: boolean;
  readonly space: boolean;
  readonly zero: boolean;
  readonly width: number | undefined;
  readonly precision: number | undefined;
}

/** Formats one value by one verb, padded. */
export function formatValue(verb: string, flags: Flags, value: GoValue, budget: Budget): string {
  if (verb === 'T') return pad(typeName(value), flags);
  if (isNil(value)) return verb === 'v' ? pad('<nil>', flags) : `%!${verb}(<nil>)`;
  if (verb !== 'v') return format(verb, flags, false, value, budget);
  if (flags.sharp) return goSyntax(value, budget);
  // `%+v` shows field names, not a sign.
  return format(verb, { ...flags, plus: false }, flags.plus, value, budget);
}

function format(verb: string, flags: Flags, names: boolean, value: GoValue, budget: Budget): string {
  budget.charge(1 + (flags.width ?? 0) + (flags.precision ?? 0));
  if (isNil(value)) return '<nil>';
  if (verb === 'p' || verb === 'w') return bad(verb, flags, value, budget);
  const named = namedText(value);
  if (named !== undefined && 'vsxXq'.includes(verb)) return formatString(verb, flags, named, value, budget);
  if (typeof value === 'string') return formatString(verb, flags, value, value, budget);
  if (typeof value === 'boolean')
    return verb === 'v' || verb === 't' ? pad(String(value), flags) : bad(verb, flags, value, budget);
  const number = numberView(value);
  if (number !== undefined)
    return number.kind === 'float'
      ? formatFloatVerb(verb, flags, number, value, budget)
      : formatInteger(verb, flags, number, value, budget);
  const inner = (item: GoValue): string => format(verb, flags, names, item, budget);
  if (isList(value)) return `[${value.map(inner).join(' ')}]`;
  if (isMap(value))
    return `map[${sortedKeys(value)
      .map((key) => `${inner(key)}:${inner(value[key])}`)
      .join(' ')}]`;
  if (value instanceof GoObject) {
    const fields = Object.entries(value.fields).map(([name, field]) =>
      names ? `${name}:${inner(field)}` : inner(field),
    );
    return `${value.kind === 'ptr' ? '&' : ''}{${fields.join(' ')}}`;
  }
  return bad(verb, flags, value, budget);
}

/** A verb that does not fit: names both, and prints the value with the given flags. */
function bad(verb: string, flags: Flags, value: GoValue, budget: Budget): string {
  return `%!${verb}(${typeName(value)}=${verb === 'v' ? 'func()' : format('v', flags, false, value, budget)})`;
}

function formatString(verb: string, flags: Flags, text: string, value: GoValue, budget: Budget): string {
  const cut = flags.precision === undefined ? text : truncate(text, flags.precision);
  switch (verb) {
    case 'v':
    case 's':
      return pad(cut, flags);
    case 'q':
      return pad(flags.sharp && canBackquote(cut) ? `\`${cut}\`` : quoteGo(cut, '"', flags.plus), flags);
    case 'x':
    case 'X': {
      const bytes = flags.precision === undefined ? text : fromBytes(toBytes(text).subarray(0, flags.precision));
      let hex = hexOf(bytes);
      const prefix = flags.sharp && hex !== '' ? '0x' : '';
      if (flags.space) hex = hex.replace(/(..)(?=.)/gu, flags.sharp ? '$1 0x' : '$1 ');
      const whole = prefix + hex;
      return pad(verb === 'X' ? whole.toUpperCase() : whole, flags);
    }
    default:
      return bad(verb, flags, value, budget);
  }
}

function formatInteger(
  verb: string,
  flags: Flags,
  number: NumberView & { readonly value: bigint },
  value: GoValue,
  budget: Budget,
): string {
  switch (verb) {
    case 'v':
    case 'd':
      return integerText(number.value, 10, '', flags);
    case 'b':
      return integerText(number.value, 2, flags.sharp ? '0b' : '', flags);
    case 'o':
      return integerText(number.value, 8, flags.sharp ? '0' : '', flags);
    case 'O':
      return integerText(number.value, 8, '0o', flags);
    case 'x':
      return integerText(number.value, 16, flags.sharp ? '0x' : '', flags);
    case 'X':
      return integerText(number.value, 16, flags.sharp ? '0X' : '', flags).replace(/[a-f]/gu, (digit) =>
        digit.toUpperCase(),
      );
    case 'c':
      return pad(rune(number.value), flags);
    case 'q':
      return pad(quoteGo(rune(number.value), "'", flags.plus), flags);
    case 'U': {
      const point = number.value < 0n ? BigInt.asUintN(64, number.value) : number.value;
      const hex = point
        .toString(16)
        .toUpperCase()
        .padStart(Math.max(4, flags.precision ?? 0), '0');
      const char = rune(number.value);
      return pad(`U+${hex}${flags.sharp && isPrintable(char) ? ` '${char}'` : ''}`, { ...flags, zero: false });
    }
    default:
      return bad(verb, flags, value, budget);
  }
}

function rune(value: bigint): string {
  return value < 0n || value > 0x10ffffn || (value >= 0xd800n && value <= 0xdfffn)
    ? '\ufffd'
    : String.fromCodePoint(Number(value));
}

function integerText(value: bigint, base: number, prefix: string, flags: Flags): string {
  const sign = value < 0n ? '-' : flags.plus ? '+' : flags.space ? ' ' : '';
  let digits = (value < 0n ? -value : value).toString(base);
  if (flags.precision !== undefined) {
    if (flags.precision === 0 && value === 0n) return pad('', { ...flags, zero: false });
    digits = digits.padStart(flags.precision, '0');
  } else if (flags.zero && !flags.minus && flags.width !== undefined)
    digits = digits.padStart(flags.width - sign.length, '0');
  // An octal number that starts with 0 already has its prefix.
  const marked = prefix === '0' && digits.startsWith('0') ? digits : prefix + digits;
  return pad(sign + marked, { ...flags, zero: false });
}

function formatFloatVerb(
  verb: string,
  flags: Flags,
  number: NumberView & { readonly value: number },
  value: GoValue,
  budget: Budget,
): string {
  const { precision } = flags;
  let text: string;
  switch (verb) {
    case 'v':
    case 'g':
    case 'G':
      text = formatFloat(number.value, 'g', precision ?? 'shortest');
      break;
    case 'e':
    case 'E':
      text = formatFloat(number.value, 'e', precision ?? 6);
      break;
    case 'f':
    case 'F':
      text = formatFloat(number.value, 'f', precision ?? 6);
      break;
    case 'b':
      text = binaryFloat(number.value);
      break;
    case 'x':
    case 'X':
      text = hexFloat(number.value, precision);
      break;
    default:
      return bad(verb, flags, value, budget);
  }
  if (flags.sharp && verb !== 'b') text = withPoint(text, 'vgGxX'.includes(verb) ? (precision ?? 6) : 0);
  if (verb === 'E' || verb === 'G' || verb === 'X') text = text.toUpperCase();
  const finite = Number.isFinite(number.value);
  const signed = text.startsWith('-') || text.startsWith('+') ? text : `+${text}`;
  const sign = signed.startsWith('-')
    ? '-'
    : flags.plus
      ? '+'
      : flags.space
        ? ' '
        : !finite && !Number.isNaN(number.value)
          ? '+'
          : '';
  const body = signed.slice(1);
  if (flags.zero && !flags.minus && flags.width !== undefined && finite)
    return sign + body.padStart(flags.width - sign.length, '0');
  return pad(sign + body, { ...flags, zero: false });
}

/** The alternate form: always a decimal point, and that many digits, zeros included. */
function withPoint(text: string, digits: number): string {
  const [, sign = '', prefix = '', mantissa = '', tail = ''] =
    /^([+-]?)(0x)?([0-9a-f.]*?)((?:e[+-]|p).*)?$/u.exec(text) ?? [];
  if (mantissa === '') return text;
  const significant = (prefix === '' ? 0 : 1) + mantissa.replace('.', '').replace(/^0+/u, '').length;
  const counted = !mantissa.includes('.') && mantissa === '0' ? 1 : significant;
  const dotted = mantissa.includes('.') ? mantissa : `${mantissa}.`;
  return sign + prefix + dotted + '0'.repeat(Math.max(0, digits - counted)) + tail;
}

function truncate(text: string, runes: number): string {
  return text.length <= runes ? text : Array.from(text).slice(0, runes).join('');
}

function pad(text: string, { width, minus, zero }: Flags): string {
  if (width === undefined) return text;
  const missing = width - runeCount(text);
  if (missing <= 0) return text;
  if (minus) return text + ' '.repeat(missing);
  return (zero ? '0' : ' ').repeat(missing) + text;
}
