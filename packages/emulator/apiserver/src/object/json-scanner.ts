import { quote } from '../status.js';

/** Findings in a valid JSON text. */
export interface JsonScan {
  /** Paths of duplicate keys: `data.a`, `list[0].b`. */
  readonly duplicates: readonly string[];
  /** Numbers too large for any Go number type. */
  readonly overflows: readonly string[];
}

/** A text that is not JSON, with the message of Go's decoder. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
}

/**
 * Scans a JSON text for what `JSON.parse` hides: duplicate keys, and Go's message about a text that is not JSON. Throws
 * {@link JsonSyntaxError}.
 */
export function scanJson(text: string): JsonScan {
  const scanner = new Scanner(text);
  scanner.document();
  return { duplicates: scanner.duplicates, overflows: scanner.overflows };
}

/** What stands for itself in a string. */
const plain = /[^"\\\u0000-\u001f]*/y;

class Scanner {
  readonly duplicates: string[] = [];
  readonly overflows: string[] = [];
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value('');
    this.#space();
    if (this.#position < this.#text.length) this.#fail('after top-level value');
  }

  #value(path: string): void {
    this.#space();
    const char = this.#text.charAt(this.#position);
    if (char === '{') this.#object(path);
    else if (char === '[') this.#array(path);
    else if (char === '"') this.#string();
    else if (char === '-' || (char >= '0' && char <= '9')) this.#number();
    else if (char === 't') this.#literal('true');
    else if (char === 'f') this.#literal('false');
    else if (char === 'n') this.#literal('null');
    else this.#fail('looking for beginning of value');
  }

  #object(path: string): void {
    const keys = new Set<string>();
    this.#position++;
    this.#space();
    if (this.#take('}')) return;
    for (;;) {
      this.#space();
      if (this.#text.charAt(this.#position) !== '"') this.#fail('looking for beginning of object key string');
      const key = this.#string();
      const own = path === '' ? key : `${path}.${key}`;
      if (keys.has(key)) this.duplicates.push(own);
      keys.add(key);
      this.#space();
      if (!this.#take(':')) this.#fail('after object key');
      this.#value(own);
      this.#space();
      if (this.#take(',')) continue;
      if (this.#take('}')) return;
      this.#fail('after object key:value pair');
    }
  }

  #array(path: string): void {
    this.#position++;
    this.#space();
    if (this.#take(']')) return;
    for (let index = 0; ; index++) {
      this.#value(`${path}[${index}]`);
      this.#space();
      if (this.#take(',')) continue;
      if (this.#take(']')) return;
      this.#fail('after array element');
    }
  }

  #string(): string {
    const start = this.#position++;
    let escaped = false;
    for (;;) {
      plain.lastIndex = this.#position;
      if (!plain.test(this.#text)) throw new JsonSyntaxError('unexpected end of JSON input');
      this.#position = plain.lastIndex;
      const char = this.#text.charAt(this.#position);
      if (char === '"') break;
      if (char !== '\\') this.#fail('in string literal');
      escaped = true;
      this.#position++;
      if (!'"\\/bfnrtu'.includes(this.#text.charAt(this.#position))) this.#fail('in string escape code');
      this.#position++;
    }
    this.#position++;
    const raw = this.#text.slice(start + 1, this.#position - 1);
    return escaped ? unescape(raw) : raw;
  }

  #number(): void {
    const pattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/uy;
    pattern.lastIndex = this.#position;
    if (!pattern.test(this.#text)) {
      this.#position++;
      this.#fail('in numeric literal');
    }
    const number = this.#text.slice(this.#position, pattern.lastIndex);
    if (!Number.isFinite(Number(number))) this.overflows.push(number);
    this.#position = pattern.lastIndex;
  }

  #literal(word: string): void {
    for (let index = 0; index < word.length; index++) {
      const expected = word.charAt(index);
      if (this.#text.charAt(this.#position) !== expected) this.#fail(`in literal ${word} (expecting '${expected}')`);
      this.#position++;
    }
  }

  #take(char: string): boolean {
    if (this.#text.charAt(this.#position) !== char) return false;
    this.#position++;
    return true;
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#position);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#position++;
    }
  }

  #fail(where: string): never {
    const char = this.#text.charAt(this.#position);
    if (char === '') throw new JsonSyntaxError('unexpected end of JSON input');
    const shown = char === "'" ? `'\\''` : char === '"' ? `'"'` : `'${quote(char).slice(1, -1)}'`;
    throw new JsonSyntaxError(`invalid character ${shown} ${where}`);
  }
}

function unescape(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return raw;
  }
}

/** Go's message about a text that is not JSON. */
export function syntaxProblem(text: string): string {
  try {
    scanJson(text);
    return 'invalid character';
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
}
