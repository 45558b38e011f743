import { createHash } from 'node:crypto';

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** SHA-224 of a text, as a number with the digits `0-9a-zA-Z`: kcp's form for label keys and values. */
export function base62Sha224(text: string): string {
  return base62(createHash('sha224').update(text).digest());
}

/** SHA-224 of a text in lower case letters and digits. */
export function base36Sha224(text: string): string {
  return BigInt(`0x${createHash('sha224').update(text).digest('hex')}`).toString(36);
}

export function base62(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 62n) text = (DIGITS[Number(rest % 62n)] ?? '') + text;
  return text;
}
