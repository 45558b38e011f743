import { keywords, type Keyword, type Token, type TokenKind } from './token.js';

const SPACE = ' \t\r\n';
const SPACES = /[ \t\r\n]+/uy;
const WORD = /[_\p{L}\p{Nd}]+/uy;
const NUMBER =
  /[+-]?(?:0[xX](?:[0-9a-fA-F_]*)(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?/uy;
const STRING = /"(?:[^"\\\n]|\\[^\n])*"/uy;
const CHARACTER = /'(?:[^'\\\n]|\\[^\n])*'/uy;
const RAW_STRING = /`[^`]*`/uy;
const LETTER_OR_DIGIT = /^[_\p{L}\p{Nd}]/u;

/**
 * Tokens of a template. Ends with `eof`, or with one `error` whose text is the message. Never throws, and reads each
 * character a bounded number of times.
 */
export function lex(text: string): Token[] {
  return new Lexer(text).run();
}

class Lexer {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  #position = 0;
  #parens = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): Token[] {
    while (this.#outside())
      while (this.#inside()) {
        /* token by token */
      }
    return this.#tokens;
  }

  /** Literal text and comments up to the next action. False at the end. */
  #outside(): boolean {
    if (this.#tokens.at(-1)?.kind === 'error') return false;
    let trimStart = false;
    for (;;) {
      const start = trimStart ? this.#afterSpace(this.#position) : this.#position;
      const open = this.#text.indexOf('{{', start);
      const trims = open >= 0 && this.#text[open + 2] === '-' && SPACE.includes(this.#text[open + 3] || 'x');
      let end = open < 0 ? this.#text.length : open;
      if (trims) while (end > start && SPACE.includes(this.#text.charAt(end - 1))) end--;
      if (end > start) this.#push('text', start, end);
      if (open < 0) {
        this.#tokens.push({ kind: 'eof', text: '', position: this.#text.length });
        return false;
      }
      // The space after a trim marker is part of it.
      const body = open + (trims ? 4 : 2);
      if (!this.#text.startsWith('/*', body)) {
        this.#push('leftDelim', open, open + 2);
        this.#position = body;
        this.#parens = 0;
        return true;
      }
      const close = this.#text.indexOf('*/', body + 2);
      if (close < 0) return this.#fail('unclosed comment', body);
      const delimiter = this.#rightDelim(close + 2);
      if (delimiter === undefined) return this.#fail('comment ends before closing delimiter', body);
      this.#position = delimiter.end;
      trimStart = delimiter.trims;
    }
  }

  /** One token of an action. False at its end. */
  #inside(): boolean {
    const at = this.#position;
    const delimiter = this.#rightDelim(at);
    if (delimiter !== undefined) {
      if (this.#parens > 0) return this.#fail('unclosed left paren');
      this.#push('rightDelim', delimiter.end - 2, delimiter.end);
      this.#position = delimiter.trims ? this.#afterSpace(delimiter.end) : delimiter.end;
      return false;
    }
    const char = this.#text.charAt(at);
    if (char === '') return this.#fail('unclosed action');
    if (SPACE.includes(char)) return this.#space();
    switch (char) {
      case '=':
        return this.#take('assign', 1);
      case ':':
        return this.#text[at + 1] === '=' ? this.#take('declare', 2) : this.#fail('expected :=');
      case '|':
        return this.#take('pipe', 1);
      case ',':
        return this.#take('comma', 1);
      case '(':
        this.#parens++;
        return this.#take('leftParen', 1);
      case ')':
        this.#parens--;
        return this.#parens < 0 ? this.#fail('unexpected right paren') : this.#take('rightParen', 1);
      case '"':
        return this.#match('string', STRING, 'unterminated quoted string');
      case '`':
        return this.#match('rawString', RAW_STRING, 'unterminated raw quoted string');
      case "'":
        return this.#match('character', CHARACTER, 'unterminated character constant');
      case '$':
        return this.#fieldOrVariable('variable', 'variable');
      case '.':
        if (!isDigit(this.#text.charAt(at + 1))) return this.#fieldOrVariable('field', 'dot');
        return this.#number();
      default:
        break;
    }
    if (char === '+' || char === '-' || isDigit(char)) return this.#number();
    if (LETTER_OR_DIGIT.test(this.#text.slice(at, at + 2))) return this.#identifier();
    if (char >= '!' && char <= '~') return this.#take('char', 1);
    return this.#fail(`unrecognized character in action: ${describe(this.#text, at)}`);
  }

  #space(): boolean {
    const start = this.#position;
    const end = this.#run(SPACES, start);
    // The last space belongs to a following trim marker.
    const marked = this.#text.startsWith('-}}', end);
    if (marked && end - start === 1) {
      if (this.#parens > 0) return this.#fail('unclosed left paren');
      this.#push('rightDelim', end + 1, end + 3);
      this.#position = this.#afterSpace(end + 3);
      return false;
    }
    return this.#take('space', end - start - (marked ? 1 : 0));
  }

  #identifier(): boolean {
    const start = this.#position;
    const end = this.#run(WORD, start);
    if (!this.#terminates(end)) return this.#fail(`bad character ${describe(this.#text, end)}`);
    const word = this.#text.slice(start, end);
    const kind: TokenKind = isKeyword(word) ? word : word === 'true' || word === 'false' ? 'bool' : 'identifier';
    return this.#take(kind, end - start);
  }

  #fieldOrVariable(kind: TokenKind, alone: TokenKind): boolean {
    const start = this.#position;
    if (this.#terminates(start + 1)) return this.#take(alone, 1);
    const end = this.#run(WORD, start + 1);
    if (!this.#terminates(end)) return this.#fail(`bad character ${describe(this.#text, end)}`);
    return this.#take(kind, end - start);
  }

  #number(): boolean {
    const start = this.#position;
    let end = this.#run(NUMBER, start);
    let kind: TokenKind = 'number';
    if (end > start && !LETTER_OR_DIGIT.test(this.#text.slice(end, end + 2)) && '+-'.includes(this.#text[end] || 'x')) {
      end = this.#run(NUMBER, end);
      kind = 'complex';
      if (this.#text[end - 1] !== 'i')
        return this.#fail(`bad number syntax: ${JSON.stringify(this.#text.slice(start, end))}`);
    }
    if (LETTER_OR_DIGIT.test(this.#text.slice(end, end + 2))) {
      return this.#fail(`bad number syntax: ${JSON.stringify(this.#text.slice(start, end + 1))}`);
    }
    return this.#take(kind, end - start);
  }

  /** Whether an identifier, field or variable may end at `index`. */
  #terminates(index: number): boolean {
    const char = this.#text.charAt(index);
    return char === '' || ' \t\r\n.,|:)('.includes(char) || this.#text.startsWith('}}', index);
  }

  #rightDelim(index: number): { readonly end: number; readonly trims: boolean } | undefined {
    if (this.#text.startsWith('}}', index)) return { end: index + 2, trims: false };
    if (SPACE.includes(this.#text[index] || 'x') && this.#text.startsWith('-}}', index + 1))
      return { end: index + 4, trims: true };
    return undefined;
  }

  #afterSpace(index: number): number {
    return this.#run(SPACES, index);
  }

  #match(kind: TokenKind, pattern: RegExp, message: string): boolean {
    const end = this.#run(pattern, this.#position);
    return end === this.#position ? this.#fail(message) : this.#take(kind, end - this.#position);
  }

  #run(pattern: RegExp, index: number): number {
    pattern.lastIndex = index;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    return index + found.length;
  }

  #take(kind: TokenKind, length: number): true {
    this.#push(kind, this.#position, this.#position + length);
    this.#position += length;
    return true;
  }

  #push(kind: TokenKind, start: number, end: number): void {
    this.#tokens.push({ kind, text: this.#text.slice(start, end), position: start });
  }

  #fail(message: string, position = this.#position): false {
    this.#tokens.push({ kind: 'error', text: message, position });
    return false;
  }
}

const isDigit = (char: string): boolean => char >= '0' && char <= '9';

function isKeyword(word: string): word is Keyword {
  return (keywords as readonly string[]).includes(word);
}

function describe(text: string, index: number): string {
  const point = text.codePointAt(index);
  if (point === undefined) return 'at the end';
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')} ${JSON.stringify(String.fromCodePoint(point))}`;
}
