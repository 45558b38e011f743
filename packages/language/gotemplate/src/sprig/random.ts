import { fn, type FunctionMap } from '../template-function.js';
import type { Budget } from '../exec/budget.js';
import { int } from '../values/go-number.js';
import type { RandomBytes, SprigOptions } from './options.js';

const DIGITS = '0123456789';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ASCII = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');

/** A uniformly distributed number from 0 up to, not including, `limit`. */
function below(limit: number, random: RandomBytes): number {
  const size = 2 ** 48;
  const fair = size - (size % limit);
  for (;;) {
    const value = Buffer.from(random(6)).readUIntBE(0, 6);
    if (value < fair) return value % limit;
  }
}

function pick(count: number, alphabet: string, random: RandomBytes, budget: Budget): string {
  if (count <= 0) return '';
  budget.charge(count * 16);
  return Array.from({ length: count }, () => alphabet.charAt(below(alphabet.length, random))).join('');
}

function shuffle(text: string, random: RandomBytes): string {
  const chars = Array.from(text);
  for (let index = chars.length - 1; index > 0; index--) {
    const other = below(index + 1, random);
    [chars[index], chars[other]] = [chars[other] ?? '', chars[index] ?? ''];
  }
  return chars.join('');
}

function uuid(random: RandomBytes): string {
  const bytes = Buffer.from(random(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/u, '$1-$2-$3-$4-');
}

export function randomness({ random }: SprigOptions): FunctionMap {
  const text = (alphabet: string) => fn(['int'], (count, { budget }) => pick(count, alphabet, random, budget));
  return {
    randAlphaNum: text(LETTERS + DIGITS),
    randAlpha: text(LETTERS),
    randNumeric: text(DIGITS),
    randAscii: text(ASCII),
    randInt: fn(['int', 'int'], (low, high) => {
      if (high <= low) throw new Error('the upper bound is not above the lower one');
      return int(low + below(high - low, random));
    }),
    randBytes: fn(['int'], (count, { budget }) => {
      if (count < 0) throw new Error('a negative number of bytes');
      budget.charge(count * 2);
      return Buffer.from(random(count)).toString('base64');
    }),
    shuffle: fn(['string'], (value, { budget }) => {
      budget.charge(value.length * 16);
      return shuffle(value, random);
    }),
    uuidv4: fn([], () => uuid(random)),
  };
}
