// Go's strings are bytes, ours are UTF-16. Each byte that is not UTF-8 becomes a lone surrogate U+DC80 to U+DCFF. So
// text that is cut within a character, or decoded from base64, survives until it is hashed, encoded or joined again.

/** The bytes of a Go string. */
export function toBytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0xdc80 || code > 0xdcff || isPaired(text, index)) continue;
    parts.push(Buffer.from(text.slice(start, index), 'utf8'), Buffer.of(code - 0xdc00));
    start = index + 1;
  }
  parts.push(Buffer.from(text.slice(start), 'utf8'));
  return Buffer.concat(parts);
}

/** The Go string of some bytes. */
export function fromBytes(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  if (!text.includes('\ufffd')) return text;
  let result = '';
  for (let index = 0; index < buffer.length;) {
    const size = sequenceLength(buffer, index);
    if (size === 0) result += String.fromCharCode(0xdc00 + (buffer[index++] ?? 0));
    else {
      result += buffer.toString('utf8', index, index + size);
      index += size;
    }
  }
  return result;
}

/** A Go string as output text: each byte that is not UTF-8 becomes U+FFFD. */
export function toText(text: string): string {
  // Reunited halves form a character.
  return text.isWellFormed() ? text : fromBytes(toBytes(text)).toWellFormed();
}

/** Bytes of a Go string. */
export function byteLength(text: string): number {
  return text.isWellFormed() ? Buffer.byteLength(text) : toBytes(text).length;
}

function isPaired(text: string, index: number): boolean {
  const before = index === 0 ? 0 : text.charCodeAt(index - 1);
  return before >= 0xd800 && before <= 0xdbff;
}

/** Bytes of the valid UTF-8 sequence at `index`, 0 if there is none. */
function sequenceLength(bytes: Buffer, index: number): number {
  const first = bytes[index] ?? 0;
  if (first < 0x80) return 1;
  const size =
    first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (size === 0 || index + size > bytes.length) return 0;
  for (let offset = 1; offset < size; offset++) if (((bytes[index + offset] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[index + 1] ?? 0;
  // Overlong forms, surrogates, and what lies beyond U+10FFFF.
  if (
    (first === 0xe0 && second < 0xa0) ||
    (first === 0xed && second > 0x9f) ||
    (first === 0xf0 && second < 0x90) ||
    (first === 0xf4 && second > 0x8f)
  )
    return 0;
  return size;
}
