import { ipVersion } from './ip-address.js';

const SPECIALS: ReadonlySet<string> = new Set('()<>[]:;@\\,"');
const KNOWN_CHARSETS: ReadonlySet<string> = new Set(['utf-8', 'iso-8859-1', 'us-ascii']);

/**
 * One address of RFC 5322, with optional display name and comments, as Go's `mail.ParseAddress` reads it: `Bob
 * <bob@example.com>`.
 */
export function isEmailAddress(text: string): boolean {
  try {
    const reader = new AddressReader(Array.from(text.toWellFormed()));
    return reader.address(true) === 1 && reader.atEndAfterComments();
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

class Malformed extends Error {}

class AddressReader {
  readonly #chars: readonly string[];
  #at = 0;

  constructor(chars: readonly string[]) {
    this.#chars = chars;
  }

  /** Reads an address, or a group where allowed. Returns the number of addresses. */
  address(groups: boolean): number {
    this.#skipSpace();
    if (this.#atEnd()) throw new Malformed();
    if (this.#tryAddrSpec()) {
      this.#skipSpace();
      if (this.#consume('(')) checkEncodedWords(this.#comment());
      return 1;
    }
    if (this.#peek() !== '<') this.#phrase();
    this.#skipSpace();
    if (groups && this.#consume(':')) return this.#groupList();
    if (!this.#consume('<')) throw new Malformed();
    if (!this.#tryAddrSpec() || !this.#consume('>')) throw new Malformed();
    return 1;
  }

  atEndAfterComments(): boolean {
    this.#skipComments();
    return this.#atEnd();
  }

  #groupList(): number {
    let count = 0;
    this.#skipSpace();
    if (this.#consume(';')) {
      this.#skipComments();
      return count;
    }
    for (;;) {
      this.#skipSpace();
      count += this.address(false);
      this.#skipComments();
      if (this.#consume(';')) {
        this.#skipComments();
        return count;
      }
      if (!this.#consume(',')) throw new Malformed();
    }
  }

  /** `local@domain`; does not advance the reader if there is none. */
  #tryAddrSpec(): boolean {
    const start = this.#at;
    try {
      this.#skipSpace();
      if (this.#peek() === '"') {
        if (this.#quotedString() === '') throw new Malformed();
      } else checkDots(this.#atom());
      if (!this.#consume('@')) throw new Malformed();
      this.#skipSpace();
      if (this.#peek() === '[') this.#domainLiteral();
      else checkDots(this.#atom());
      return true;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.#at = start;
      return false;
    }
  }

  #phrase(): void {
    for (let words = 0; ; words++) {
      if (words > 0) this.#skipComments();
      this.#skipSpace();
      if (this.#atEnd()) return;
      try {
        if (this.#peek() === '"') this.#quotedString();
        else checkEncodedWord(this.#atom());
      } catch (error) {
        // The first word may be followed by something else.
        if (error instanceof Malformed && words > 0) return;
        throw error;
      }
    }
  }

  #quotedString(): string {
    let content = '';
    let escaped = false;
    for (let at = this.#at + 1; at < this.#chars.length; at++) {
      const char = this.#chars[at] ?? '';
      if (!isVisible(char) && char !== ' ' && char !== '\t') throw new Malformed();
      if (escaped || (char !== '"' && char !== '\\')) {
        content += char;
        escaped = false;
      } else if (char === '\\') escaped = true;
      else {
        this.#at = at + 1;
        return content;
      }
    }
    throw new Malformed();
  }

  /** Visible characters that are not special, dots included. */
  #atom(): string {
    const start = this.#at;
    while (!this.#atEnd() && isVisible(this.#peek()) && !SPECIALS.has(this.#peek())) this.#at++;
    if (this.#at === start) throw new Malformed();
    return this.#chars.slice(start, this.#at).join('');
  }

  #domainLiteral(): void {
    this.#at++;
    let address = '';
    while (this.#peek() !== ']') {
      const char = this.#peek();
      if (this.#atEnd() || !isVisible(char) || char === '[' || char === '\\') throw new Malformed();
      address += char;
      this.#at++;
    }
    this.#at++;
    if (ipVersion(address, 'strict') === undefined) throw new Malformed();
  }

  /** The text of a comment after its opening parenthesis. */
  #comment(): string {
    let text = '';
    for (let depth = 1; ; this.#at++) {
      if (this.#atEnd()) throw new Malformed();
      const char = this.#peek();
      if (char === '\\' && this.#at + 1 < this.#chars.length) this.#at++;
      else if (char === '(') depth++;
      else if (char === ')') depth--;
      if (depth === 0) {
        this.#at++;
        return text;
      }
      text += this.#peek();
    }
  }

  #skipComments(): void {
    this.#skipSpace();
    while (this.#consume('(')) {
      this.#comment();
      this.#skipSpace();
    }
  }

  #skipSpace(): void {
    while (this.#peek() === ' ' || this.#peek() === '\t') this.#at++;
  }

  #consume(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at++;
    return true;
  }

  #peek(): string {
    return this.#chars[this.#at] ?? '';
  }

  #atEnd(): boolean {
    return this.#at >= this.#chars.length;
  }
}

const isVisible = (char: string): boolean => (char >= '!' && char <= '~') || char >= '\u0080';

function checkDots(atom: string): void {
  if (atom.startsWith('.') || atom.endsWith('.') || atom.includes('..')) throw new Malformed();
}

function checkEncodedWords(text: string): void {
  for (const word of text.split(/[ \t]+/)) checkEncodedWord(word);
}

/** An RFC 2047 word in a character set that Go cannot read is an error; a malformed one is an ordinary word. */
function checkEncodedWord(word: string): void {
  const [, charset = '', encoding = '', content = ''] = /^=\?([^?]+)\?([^?])\?([^?]*)\?=$/.exec(word) ?? [];
  if (charset === '' || KNOWN_CHARSETS.has(charset.toLowerCase())) return;
  const wellFormed =
    encoding.toLowerCase() === 'b' ? isBase64(content) : encoding.toLowerCase() === 'q' && isQuotedPrintable(content);
  if (wellFormed) throw new Malformed();
}

const isBase64 = (text: string): boolean =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);

const isQuotedPrintable = (text: string): boolean => /^(?:[ -<>-~\t\n\r]|=[0-9A-Fa-f]{2})*$/.test(text);
