const SIMPLE: Readonly<Record<string, string>> = {
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
};

/** The content of a quoted JSON text. Stops at an invalid escape. */
export function unescape(text: string): string {
  let result = '';
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character < ' ') break;
    if (character !== '\\') {
      result += character;
      continue;
    }
    index++;
    const escape = text.charAt(index);
    if (escape === 'u') {
      const digits = /^[0-9a-fA-F]{4}/u.exec(text.slice(index + 1))?.[0];
      if (digits === undefined) break;
      result += String.fromCharCode(Number.parseInt(digits, 16));
      index += 4;
    } else {
      const plain = SIMPLE[escape];
      if (plain === undefined) break;
      result += plain;
    }
  }
  return result.toWellFormed();
}
