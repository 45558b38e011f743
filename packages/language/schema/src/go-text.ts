const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/u;
const PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;
const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

/** A string as Go's `%q` writes it. */
export function goQuote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const char of text.toWellFormed()) quoted += NAMED_ESCAPES.get(char) ?? escaped(char);
  return `${quoted}"`;
}

/** Whether Go's `unicode.IsPrint` holds for a character. */
export const isPrintable = (char: string): boolean => char === ' ' || PRINTABLE.test(char);

function escaped(char: string): string {
  if (isPrintable(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** A `float64` as Go's `%v` writes it: the shortest digits, with an exponent below 1e-4 and from 1e+06 on. */
export function goFloat(value: number): string {
  const [digits = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  // Go decides by a precision of six when it writes the shortest form.
  if (exponent >= -4 && exponent < 6) return Object.is(value, -0) ? '-0' : String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
