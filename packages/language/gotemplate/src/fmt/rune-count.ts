import { toBytes } from '../values/bytes.js';

/** Characters of a Go string: what a width counts. */
export function runeCount(text: string): number {
  return text.isWellFormed() ? Array.from(text).length : toBytes(text).length;
}
