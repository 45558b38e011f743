import { fn, type FunctionMap } from '../template-function.js';
import { fromBytes, toBytes } from '../values/bytes.js';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Position of Go's first error in a base64 text; undefined if there is none. Ignores line breaks. */
function base64Fault(bytes: Buffer): number | undefined {
  const isBreak = (index: number): boolean => bytes[index] === 0x0a || bytes[index] === 0x0d;
  let count = 0;
  for (let index = 0; index < bytes.length; index++) {
    if (isBreak(index)) continue;
    const char = String.fromCharCode(bytes[index] ?? 0);
    if (char !== '=') {
      if (!BASE64.includes(char)) return index;
      count = (count + 1) % 4;
      continue;
    }
    if (count < 2) return index;
    let next = index + 1;
    while (isBreak(next)) next++;
    if (count === 2) {
      if (next === bytes.length) return bytes.length;
      if (bytes[next] !== 0x3d) return next - 1;
      next++;
    }
    while (isBreak(next)) next++;
    return next < bytes.length ? next : undefined;
  }
  return count === 0 ? undefined : bytes.length - count;
}

function base64Decode(text: string): string {
  const bytes = toBytes(text);
  const fault = base64Fault(bytes);
  // The original returns the message as the result.
  return fault === undefined ? fromBytes(Buffer.from(text, 'base64')) : `illegal base64 data at input byte ${fault}`;
}

function base32Encode(text: string): string {
  const bytes = toBytes(text);
  let result = '';
  for (let start = 0; start < bytes.length; start += 5) {
    const group = bytes.subarray(start, start + 5);
    let bits = 0n;
    for (let index = 0; index < 5; index++) bits = (bits << 8n) | BigInt(group[index] ?? 0);
    let chars = '';
    for (let index = 35n; index >= 0n; index -= 5n) chars += BASE32.charAt(Number((bits >> index) & 31n));
    result += chars.slice(0, Math.ceil((group.length * 8) / 5)).padEnd(8, '=');
  }
  return result;
}

function base32Decode(text: string): string {
  const input = toBytes(text)
    .toString('latin1')
    .replace(/[\r\n]/gu, '');
  const fault = (at: number): string => `illegal base32 data at input byte ${at}`;
  const bytes: number[] = [];
  for (let start = 0; start < input.length; start += 8) {
    let bits = 0n;
    let length = 8;
    for (let offset = 0; offset < 8; offset++) {
      const at = start + offset;
      if (at >= input.length) return fault(start);
      const rest = input.length - at - 1;
      if (input[at] === '=' && offset >= 2 && rest < 8) {
        if (rest + offset < 7) return fault(input.length);
        for (let index = 0; index < 7 - offset && index < rest; index++)
          if (input[at + 1 + index] !== '=') return fault(at + index);
        if (offset === 3 || offset === 6) return fault(at);
        length = offset;
        bits <<= BigInt(5 * (8 - offset));
        break;
      }
      const value = BASE32.indexOf(input[at] ?? '');
      if (value < 0) return fault(at);
      bits = (bits << 5n) | BigInt(value);
    }
    for (let index = 0; index < Math.floor((length * 5) / 8); index++)
      bytes.push(Number((bits >> BigInt(32 - 8 * index)) & 255n));
    if (length < 8) break;
  }
  return fromBytes(Uint8Array.from(bytes));
}

export const encodings: FunctionMap = {
  b64enc: fn(['string'], (text) => toBytes(text).toString('base64')),
  b64dec: fn(['string'], base64Decode),
  b32enc: fn(['string'], base32Encode),
  b32dec: fn(['string'], base32Decode),
};
