/** Order of the UTF-8 bytes of two strings, as Go sorts them. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  // Without surrogates the order of UTF-16 units is that of the bytes.
  if (surrogates.test(a) || surrogates.test(b)) return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
  return a < b ? -1 : 1;
}

const surrogates = /[\ud800-\udfff]/;
