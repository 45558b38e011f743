import { toBytes } from '../values/bytes.js';

/** Characters of a Go string: the unit of a width. */
export function runeCount(text: string): number {
  return text.isWellFormed() ? Array.from(text).length : toBytes(text).length;
}
