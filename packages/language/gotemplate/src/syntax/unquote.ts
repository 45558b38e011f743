import { fromBytes, toBytes } from '../values/bytes.js';

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
};
const ESCAPE = /\\(?:([abfnrtv\\'"])|x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/uy;

/** The content of a quoted Go string literal. `undefined`: not a valid one. */
export function unquote(literal: string): string | undefined {
  const quote = literal.charAt(0);
  const body = literal.slice(1, -1);
  if (quote === '`') return body.replaceAll('\r', '');
  return unescape(body, quote);
}

/** The character of a literal such as `'a'` or `'\n'`. `undefined`: not a valid one. */
export function unquoteCharacter(literal: string): number | undefined {
  const body = literal.slice(1, -1);
  const byte = /^\\(?:x([0-9a-fA-F]{2})|([0-7]{3}))$/u.exec(body);
  if (byte !== null) {
    const value = byte[1] === undefined ? Number.parseInt(byte[2] ?? '', 8) : Number.parseInt(byte[1], 16);
    return value <= 255 ? value : undefined;
  }
  const text = unescape(body, "'");
  const point = text?.codePointAt(0);
  return text === undefined || point === undefined || text.length !== (point > 0xffff ? 2 : 1) ? undefined : point;
}

function unescape(body: string, quote: string): string | undefined {
  let result = '';
  let raw = false;
  for (let index = 0; index < body.length;) {
    const char = body.charAt(index);
    if (char === quote || char === '\n') return undefined;
    if (char !== '\\') {
      result += char;
      index++;
      continue;
    }
    ESCAPE.lastIndex = index;
    const match = ESCAPE.exec(body);
    if (match === null) return undefined;
    const [whole, simple, hex, octal, short, long] = match;
    if (simple !== undefined) {
      if ((simple === "'" || simple === '"') && simple !== quote) return undefined;
      result += SIMPLE[simple] ?? '';
    } else if (hex !== undefined || octal !== undefined) {
      const byte = hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex, 16);
      if (byte > 255) return undefined;
      raw ||= byte >= 0x80;
      result += byte < 0x80 ? String.fromCharCode(byte) : String.fromCharCode(0xdc00 + byte);
    } else {
      const point = Number.parseInt(short ?? long ?? '', 16);
      if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
      result += String.fromCodePoint(point);
    }
    index += whole.length;
  }
  // Single bytes may combine into characters.
  return raw ? fromBytes(toBytes(result)) : result;
}
