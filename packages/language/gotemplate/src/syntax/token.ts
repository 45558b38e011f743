/** Words that are not identifiers. */
export const keywords = [
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'nil',
  'range',
  'template',
  'with',
] as const;

export type Keyword = (typeof keywords)[number];

export type TokenKind =
  | Keyword
  | 'text'
  | 'leftDelim'
  | 'rightDelim'
  | 'space'
  | 'assign'
  | 'declare'
  | 'pipe'
  | 'leftParen'
  | 'rightParen'
  | 'comma'
  | 'char'
  | 'bool'
  | 'number'
  | 'complex'
  | 'character'
  | 'string'
  | 'rawString'
  | 'identifier'
  | 'field'
  | 'variable'
  | 'dot'
  | 'error'
  | 'eof';

export interface Token {
  readonly kind: TokenKind;
  /** The source text; for `error` the message. */
  readonly text: string;
  /** Index into the template, in UTF-16 units. */
  readonly position: number;
}
