import type { Issue } from './issue.js';
import { unquote } from './quoted.js';

export type Token =
  | { readonly kind: 'ident'; readonly text: string; readonly offset: number }
  /** A name in backticks: parsed, but API servers do not support it. */
  | { readonly kind: 'quotedIdent'; readonly text: string; readonly offset: number }
  | { readonly kind: 'operator'; readonly text: string; readonly offset: number }
  | { readonly kind: 'int' | 'uint' | 'double'; readonly text: string; readonly offset: number }
  | { readonly kind: 'string'; readonly text: string; readonly value: string; readonly offset: number }
  | { readonly kind: 'bytes'; readonly text: string; readonly value: Uint8Array; readonly offset: number }
  | { readonly kind: 'end'; readonly text: '<EOF>'; readonly offset: number };

const whitespace = /(?:[\t\n\r\f ]|\/\/[^\n]*)+/y;
const quoted =
  /[bB]?(?:[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')|"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\.|[^\\"\n\r])*"|'(?:\\.|[^\\'\n\r])*')/y;
const double = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const integer = /(?:0x[0-9a-fA-F]+|\d+)[uU]?/y;
const identifier = /[A-Za-z_][A-Za-z0-9_]*/y;
const quotedIdentifier = /`[A-Za-z0-9_.\-/ ]+`/y;
const operator = /==|!=|<=|>=|&&|\|\||[[\]{}()<>.,\-!?:+*/%]/y;

const match = (pattern: RegExp, source: string, offset: number): string | undefined => {
  pattern.lastIndex = offset;
  return pattern.exec(source)?.[0];
};

const tokenAt = (source: string, offset: number): Token | undefined => {
  const text = match(quoted, source, offset);
  const value = text === undefined ? undefined : unquote(text);
  if (text !== undefined && value !== undefined) {
    return typeof value === 'string' ? { kind: 'string', text, value, offset } : { kind: 'bytes', text, value, offset };
  }
  const decimal = match(double, source, offset);
  if (decimal !== undefined) {
    return { kind: 'double', text: decimal, offset };
  }
  const digits = match(integer, source, offset);
  if (digits !== undefined) {
    return { kind: /[uU]$/.test(digits) ? 'uint' : 'int', text: digits, offset };
  }
  const name = match(identifier, source, offset);
  if (name !== undefined) {
    return { kind: 'ident', text: name, offset };
  }
  const quotedName = match(quotedIdentifier, source, offset);
  if (quotedName !== undefined) {
    return { kind: 'quotedIdent', text: quotedName, offset };
  }
  const symbol = match(operator, source, offset);
  return symbol === undefined ? undefined : { kind: 'operator', text: symbol, offset };
};

/** The beginning of a broken token, up to and including the wrong character. */
const unrecognized =
  /(?:[bBrR]{0,2}["'](?:\\(?:[abfnrtv"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})|[^\\"'\n\r])*(?:\\(?:u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[xX][0-9a-fA-F]?|[0-3][0-7]?)?)?[^]?|[=&|][^]?|[^])/y;

export interface Tokens {
  /** The last one is `end`. */
  readonly tokens: readonly Token[];
  /** Unreadable parts, which were skipped. */
  readonly issues: readonly Issue[];
}

/** The tokens of an expression (grammar: cel-go `parser/gen/CEL.g4`). */
export const tokenize = (source: string): Tokens => {
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  let offset = 0;
  for (;;) {
    offset += match(whitespace, source, offset)?.length ?? 0;
    if (offset >= source.length) {
      tokens.push({ kind: 'end', text: '<EOF>', offset });
      return { tokens, issues };
    }
    const token = tokenAt(source, offset);
    const text = token?.text ?? match(unrecognized, source, offset) ?? source.slice(offset);
    if (token === undefined) {
      issues.push({ offset, message: `Syntax error: token recognition error at: '${text}'` });
    } else {
      tokens.push(token);
    }
    offset += text.length;
  }
};
