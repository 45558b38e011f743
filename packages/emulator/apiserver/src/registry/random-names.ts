import type { Random } from '@hawser/clock';

/** Without vowels and look-alikes, as in Kubernetes (apimachinery `util/rand`). */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** The longest name that `generateName` makes; the prefix is cut. */
const MAX_LENGTH = 63;

export function generatedName(prefix: string, random: Random): string {
  let suffix = '';
  for (let index = 0; index < 5; index++) suffix += ALPHABET.charAt(Math.floor(random() * ALPHABET.length));
  return prefix.slice(0, MAX_LENGTH - 5) + suffix;
}

/** A version 4 uuid. */
export function uuid(random: Random): string {
  let digits = '';
  while (digits.length < 32)
    digits += Math.floor(random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, '0');
  const variant = '89ab'.charAt(Math.floor(random() * 4));
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
