const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '"': '"',
  "'": "'",
  '\\': '\\',
  '?': '?',
  '`': '`',
};

const escape = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([^]))/y;

interface Chunk {
  readonly code: number;
  /** `\x`, and octal: one byte in a bytes literal, one code point in a string. */
  readonly byte: boolean;
}

const isCodePoint = (code: number): boolean => code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);

const readEscape = (body: string, at: number): { chunk: Chunk; length: number } | undefined => {
  escape.lastIndex = at;
  const [text = '', hex, short, long, octal, simple = ''] = escape.exec(body) ?? [];
  if (hex !== undefined || octal !== undefined) {
    return {
      chunk: { code: hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex, 16), byte: true },
      length: text.length,
    };
  }
  const unicode = short ?? long;
  const code = unicode === undefined ? simpleEscapes[simple]?.charCodeAt(0) : Number.parseInt(unicode, 16);
  return code === undefined || !isCodePoint(code) ? undefined : { chunk: { code, byte: false }, length: text.length };
};

const chunksOf = (body: string, raw: boolean): Chunk[] | undefined => {
  const chunks: Chunk[] = [];
  for (let at = 0; at < body.length;) {
    if (!raw && body[at] === '\\') {
      const read = readEscape(body, at);
      if (read === undefined) {
        return undefined;
      }
      chunks.push(read.chunk);
      at += read.length;
    } else {
      const code = body.codePointAt(at) ?? 0;
      chunks.push({ code, byte: false });
      at += code > 0xffff ? 2 : 1;
    }
  }
  return chunks;
};

const encoder = new TextEncoder();

/** The value of a quoted string or bytes literal; undefined for an unknown escape. */
export const unquote = (literal: string): string | Uint8Array | undefined => {
  const prefix = /^[bBrR]*/.exec(literal)?.[0] ?? '';
  const quotes = literal.slice(prefix.length);
  const width = /^(?:"""|''')/.test(quotes) && quotes.length >= 6 ? 3 : 1;
  const body = quotes.slice(width, -width).replaceAll('\r\n', '\n');
  const chunks = chunksOf(body, /[rR]/.test(prefix));
  if (chunks === undefined) {
    return undefined;
  }
  if (!/[bB]/.test(prefix)) {
    return chunks.map((chunk) => String.fromCodePoint(chunk.code)).join('');
  }
  return Uint8Array.from(
    chunks.flatMap((chunk) => (chunk.byte ? [chunk.code] : [...encoder.encode(String.fromCodePoint(chunk.code))])),
  );
};
