import { hash } from 'node:crypto';

/** SHA-1 of the UTF-8 bytes, 40 hexadecimal digits. */
export function sha1Hex(text: string): string {
  return hash('sha1', text, 'hex');
}

/** The first 20 digits of {@link sha1Hex}. */
export function sha1Short(text: string): string {
  return sha1Hex(text).slice(0, 20);
}
