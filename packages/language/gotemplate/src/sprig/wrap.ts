// These count bytes, like the originals.
import { byteLength, fromBytes, toBytes } from '../values/bytes.js';

const SPACE = 0x20;

/** Breaks a line at spaces. `breakLong`: also cuts words longer than a line. */
export function wrap(text: string, length: number, newLine: string, breakLong: boolean): string {
  const bytes = toBytes(text);
  const width = Math.max(1, length);
  const separator = newLine === '' ? '\n' : newLine;
  const part = (start: number, end: number): string => fromBytes(bytes.subarray(start, end));
  let result = '';
  let offset = 0;
  while (bytes.length - offset > width) {
    if (bytes[offset] === SPACE) {
      offset++;
      continue;
    }
    const space = bytes.subarray(offset, offset + width + 1).lastIndexOf(SPACE);
    let end = space < 0 ? offset + width : offset + space;
    if (space < 0 && !breakLong) {
      end = bytes.indexOf(SPACE, end);
      if (end < 0) break;
    }
    result += part(offset, end) + separator;
    offset = space < 0 && breakLong ? end : end + 1;
  }
  return result + part(Math.min(offset, bytes.length), bytes.length);
}

/** Shortens with an ellipsis at the end, and with `offset` also at the start. */
export function abbreviate(text: string, offset: number, width: number): string {
  const length = byteLength(text);
  if (length <= width) return text;
  const bytes = toBytes(text);
  const start = Math.min(
    Math.min(offset, length),
    length - Math.min(offset, length) < width - 3 ? length - (width - 3) : length,
  );
  if (start <= 4) return `${fromBytes(bytes.subarray(0, width - 3))}...`;
  if (width < 7) return '';
  if (start + width - 3 < length) return `...${abbreviate(fromBytes(bytes.subarray(start)), 0, width - 3)}`;
  return `...${fromBytes(bytes.subarray(length - (width - 3)))}`;
}

/** A part of a text by bytes. Throws if out of range. */
export function byteSlice(text: string, start: number, end: number): string {
  const bytes = toBytes(text);
  if (start < 0 || end > bytes.length || start > end) throw new Error('slice bounds out of range');
  return fromBytes(bytes.subarray(start, end));
}
