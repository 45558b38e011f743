import { maxInt64, minInt64 } from '../values/go-number.js';

/** Possible values of a number literal. */
export interface NumberLiteral {
  readonly integer: bigint | undefined;
  readonly float: number | undefined;
}

const INTEGER =
  /^[+-]?(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|0(?:_?[0-7])*|[1-9](?:_?[0-9])*)$/u;
const DIGITS = '[0-9](?:_?[0-9])*';
const FLOAT = new RegExp(`^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:[eE][+-]?${DIGITS})?$`, 'u');
const HEX_FLOAT = /^([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?[0-9]+)$/u;

/** Parses a number of a template. A string is an error message. */
export function readNumber(text: string): NumberLiteral | string {
  if (text.endsWith('i')) return `imaginary number ${JSON.stringify(text)}: complex numbers are not supported`;
  const integer = readInteger(text);
  if (integer !== undefined) {
    if (integer >= minInt64 && integer <= maxInt64) return { integer, float: Number(integer) };
    // A number that fits only an unsigned integer overflows on use.
    if (integer > 0n && integer < 2n ** 64n) return { integer: undefined, float: Number(integer) };
  }
  const float = readFloat(text);
  if (float === undefined || !Number.isFinite(float)) return `illegal number syntax: ${JSON.stringify(text)}`;
  if (!/[.eEpP]/u.test(text)) return `integer overflow: ${JSON.stringify(text)}`;
  return { integer: Number.isInteger(float) && Math.abs(float) < 2 ** 63 ? BigInt(float) : undefined, float };
}

/** A longer number is never needed, and slow to convert. */
const longest = 1000;

/** An integer in any base that Go reads, of nearly any size. */
export function readInteger(text: string): bigint | undefined {
  if (text.length > longest || !INTEGER.test(text)) return undefined;
  let digits = text.replace(/^[+-]/u, '').replaceAll('_', '').toLowerCase();
  // A leading zero alone means octal.
  if (/^0[0-7]/u.test(digits)) digits = `0o${digits.slice(1)}`;
  return text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
}

/** A double in decimal or hexadecimal form. */
export function readFloat(text: string): number | undefined {
  if (FLOAT.test(text)) return Number(text.replaceAll('_', ''));
  const [, sign = '', whole = '', fraction = '', exponent = ''] = HEX_FLOAT.exec(text) ?? [];
  if (whole + fraction === '') return undefined;
  const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}
