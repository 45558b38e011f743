import type { Expr, Literal, MapEntry } from './ast.js';
import { CelSyntaxError, type Issue } from './issue.js';
import { type Token, tokenize } from './lexer.js';
import { expandHas, expandMacro } from './macros.js';

/** Reserved identifiers (cel-go `parser.go`, `reservedIds`). Still allowed as fields: `a.namespace`. */
const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const literalWords: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);

const startOfExpression =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Nesting limit of expressions, as in cel-go. */
const maxDepth = 250;

const relations: ReadonlySet<string> = new Set(['<', '<=', '>=', '>', '==', '!=']);

const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

const startsExpression = (token: Token): boolean =>
  token.kind === 'operator'
    ? ['[', '{', '(', '.', '-', '!'].includes(token.text)
    : token.kind !== 'end' && token.kind !== 'quotedIdent';

class Parser {
  #position = 0;
  #lastId = 0;
  #depth = 0;
  readonly #tokens: readonly Token[];
  readonly #issues: readonly Issue[];
  readonly #nextId = (): number => ++this.#lastId;

  constructor(source: string) {
    const { tokens, issues } = tokenize(source);
    this.#tokens = tokens;
    this.#issues = issues;
  }

  /** @throws {CelSyntaxError} with the unreadable parts and the first syntax error */
  parse(): Expr {
    try {
      const expr = this.#start();
      if (this.#issues.length === 0) {
        return expr;
      }
    } catch (error) {
      throw error instanceof CelSyntaxError ? new CelSyntaxError([...this.#issues, ...error.issues]) : error;
    }
    throw new CelSyntaxError(this.#issues);
  }

  #start(): Expr {
    const expr = this.#expression();
    const token = this.#peek();
    if (token.kind !== 'end') {
      throw this.#unexpected(token, '<EOF>', this.#peek(1).kind === 'end' ? 'extraneous' : 'mismatched');
    }
    return expr;
  }

  #peek(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#position + ahead, this.#tokens.length - 1)];
    if (token === undefined) {
      throw new RangeError('an expression has at least one token');
    }
    return token;
  }

  #next(): Token {
    const token = this.#peek();
    this.#position += 1;
    return token;
  }

  #accept(text: string): Token | undefined {
    const token = this.#peek();
    if (token.text !== text || (token.kind !== 'operator' && token.kind !== 'ident')) {
      return undefined;
    }
    this.#position += 1;
    return token;
  }

  #expect(text: string): Token {
    const token = this.#accept(text);
    if (token === undefined) {
      const found = this.#peek();
      throw text === ')' && found.kind === 'end'
        ? new CelSyntaxError([{ offset: found.offset, message: `Syntax error: missing '${text}' at '<EOF>'` }])
        : this.#unexpected(found, `'${text}'`);
    }
    return token;
  }

  #unexpected(token: Token, wanted: string, kind: 'mismatched' | 'extraneous' = 'mismatched'): CelSyntaxError {
    return new CelSyntaxError([
      { offset: token.offset, message: `Syntax error: ${kind} input '${token.text}' expecting ${wanted}` },
    ]);
  }

  #call(name: string, offset: number, args: readonly Expr[], target?: Expr): Expr {
    return { kind: 'call', id: this.#nextId(), offset, target, name, args };
  }

  #expression(): Expr {
    this.#depth += 1;
    if (this.#depth > maxDepth) {
      throw new CelSyntaxError([
        { offset: this.#peek().offset, message: `expression recursion limit exceeded: ${maxDepth}` },
      ]);
    }
    const condition = this.#logical('||');
    const question = this.#accept('?');
    let result = condition;
    if (question !== undefined) {
      const yes = this.#logical('||');
      this.#expect(':');
      result = this.#call('_?_:_', question.offset, [condition, yes, this.#expression()]);
    }
    this.#depth -= 1;
    return result;
  }

  #logical(symbol: '||' | '&&'): Expr {
    const operand = (): Expr => (symbol === '||' ? this.#logical('&&') : this.#relation());
    let left = operand();
    for (let token = this.#accept(symbol); token !== undefined; token = this.#accept(symbol)) {
      left = this.#call(`_${symbol}_`, token.offset, [left, operand()]);
    }
    return left;
  }

  #relation(): Expr {
    let left = this.#sum();
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'operator' && relations.has(token.text)) {
        this.#position += 1;
        left = this.#call(`_${token.text}_`, token.offset, [left, this.#sum()]);
      } else if (token.kind === 'ident' && token.text === 'in') {
        this.#position += 1;
        left = this.#call('@in', token.offset, [left, this.#sum()]);
      } else {
        return left;
      }
    }
  }

  #sum(): Expr {
    return this.#binary(['+', '-'], () => this.#binary(['*', '/', '%'], () => this.#unary()));
  }

  #binary(symbols: readonly string[], operand: () => Expr): Expr {
    let left = operand();
    for (;;) {
      const token = this.#peek();
      if (token.kind !== 'operator' || !symbols.includes(token.text)) {
        return left;
      }
      this.#position += 1;
      left = this.#call(`_${token.text}_`, token.offset, [left, operand()]);
    }
  }

  #unary(): Expr {
    const token = this.#peek();
    if (token.kind !== 'operator' || (token.text !== '!' && token.text !== '-')) {
      return this.#member();
    }
    const following = this.#peek(1);
    if (token.text === '-' && (following.kind === 'int' || following.kind === 'double')) {
      return this.#member();
    }
    let count = 0;
    while (this.#accept(token.text) !== undefined) {
      count += 1;
    }
    const operand = this.#member();
    return count % 2 === 0 ? operand : this.#call(token.text === '!' ? '!_' : '-_', token.offset, [operand]);
  }

  #member(): Expr {
    let expr = this.#primary();
    for (;;) {
      const dot = this.#accept('.');
      if (dot !== undefined) {
        expr = this.#select(expr, dot.offset);
        continue;
      }
      const bracket = this.#accept('[');
      if (bracket === undefined) {
        return expr;
      }
      const optional = this.#accept('?') !== undefined;
      const index = this.#expression();
      this.#expect(']');
      expr = this.#call(optional ? '_[?_]' : '_[_]', bracket.offset, [expr, index]);
    }
  }

  #select(operand: Expr, offset: number): Expr {
    const optional = this.#accept('?') !== undefined;
    const token = this.#next();
    if (token.kind === 'quotedIdent') {
      throw new CelSyntaxError([{ offset: token.offset, message: "unsupported syntax: '`'" }]);
    }
    if (token.kind !== 'ident' || literalWords.has(token.text)) {
      throw token.text === '.'
        ? new CelSyntaxError([{ offset: token.offset, message: "Syntax error: no viable alternative at input '..'" }])
        : this.#unexpected(token, 'IDENTIFIER');
    }
    const open = optional ? undefined : this.#accept('(');
    if (open !== undefined) {
      const args = this.#until(')', () => this.#expression());
      return (
        expandMacro(token.text, operand, args, open.offset, this.#nextId) ??
        this.#call(token.text, open.offset, args, operand)
      );
    }
    return {
      kind: 'select',
      id: this.#nextId(),
      offset,
      operand,
      field: token.text,
      mode: optional ? 'optional' : 'plain',
    };
  }

  /** Comma-separated items and the closing symbol. */
  #until<T>(close: string, item: () => T, trailingComma = false): T[] {
    const items: T[] = [];
    if (this.#accept(close) !== undefined) {
      return items;
    }
    if (trailingComma && this.#accept(',') !== undefined) {
      this.#expect(close);
      return items;
    }
    for (;;) {
      items.push(item());
      if (this.#accept(',') === undefined) {
        this.#expect(close);
        return items;
      }
      if (trailingComma && (this.#peek().text === close || this.#peek().text === ',')) {
        this.#expect(close);
        return items;
      }
    }
  }

  #primary(): Expr {
    const token = this.#next();
    switch (token.kind) {
      case 'string':
        return this.#literal(token, { type: 'string', value: token.value });
      case 'bytes':
        return this.#literal(token, { type: 'bytes', value: token.value });
      case 'int':
      case 'uint':
      case 'double':
        return this.#literal(token, this.#number(token, false));
      case 'ident':
        return this.#identifier(token, '');
      case 'operator':
        return this.#symbol(token);
      case 'end':
      case 'quotedIdent':
        throw this.#unexpected(token, startOfExpression);
    }
  }

  #literal(token: Token, literal: Literal): Expr {
    return { kind: 'literal', id: this.#nextId(), offset: token.offset, literal };
  }

  #number(token: Token, negative: boolean): Literal {
    if (token.kind === 'double') {
      const value = Number(token.text);
      if (!Number.isFinite(value)) {
        throw new CelSyntaxError([{ offset: token.offset, message: 'invalid double literal' }]);
      }
      return { type: 'double', value: negative ? -value : value };
    }
    const magnitude = BigInt(token.text.replace(/[uU]$/, ''));
    if (token.kind === 'uint') {
      if (magnitude > maxUint) {
        throw new CelSyntaxError([{ offset: token.offset, message: 'invalid uint literal' }]);
      }
      return { type: 'uint', value: magnitude };
    }
    if (magnitude > (negative ? maxInt + 1n : maxInt)) {
      throw new CelSyntaxError([{ offset: token.offset, message: 'invalid int literal' }]);
    }
    return { type: 'int', value: negative ? -magnitude : magnitude };
  }

  #symbol(token: Token): Expr {
    switch (token.text) {
      case '(': {
        const expr = this.#expression();
        this.#expect(')');
        return expr;
      }
      case '[':
        return this.#list(token);
      case '{':
        return this.#map(token);
      case '-': {
        const number = this.#next();
        if (number.kind !== 'int' && number.kind !== 'double') {
          throw this.#unexpected(number, '{NUM_FLOAT, NUM_INT}');
        }
        return this.#literal(token, this.#number(number, true));
      }
      case '.': {
        const name = this.#next();
        if (name.kind === 'ident') {
          return this.#identifier(name, '.');
        }
        throw this.#unexpected(name, 'IDENTIFIER');
      }
      default:
        throw this.#unexpected(token, startOfExpression, startsExpression(this.#peek()) ? 'extraneous' : 'mismatched');
    }
  }

  #list(token: Token): Expr {
    const id = this.#nextId();
    const elements = this.#until(
      ']',
      () => ({ optional: this.#accept('?') !== undefined, value: this.#expression() }),
      true,
    );
    return { kind: 'list', id, offset: token.offset, elements };
  }

  #map(token: Token): Expr {
    const id = this.#nextId();
    const entry = (): MapEntry => {
      const optional = this.#accept('?') !== undefined;
      const key = this.#expression();
      this.#expect(':');
      return { optional, key, value: this.#expression() };
    };
    return { kind: 'map', id, offset: token.offset, entries: this.#until('}', entry, true) };
  }

  #identifier(token: Token, leading: '' | '.'): Expr {
    switch (leading === '' ? token.text : '') {
      case 'true':
      case 'false':
        return this.#literal(token, { type: 'bool', value: token.text === 'true' });
      case 'null':
        return this.#literal(token, { type: 'null' });
      case 'in':
        throw this.#unexpected(token, startOfExpression);
      default:
    }
    const struct = this.#struct(token);
    if (struct !== undefined) {
      return struct;
    }
    if (reserved.has(token.text)) {
      throw new CelSyntaxError([{ offset: token.offset, message: `reserved identifier: ${token.text}` }]);
    }
    const open = this.#accept('(');
    if (open === undefined) {
      return { kind: 'ident', id: this.#nextId(), offset: token.offset, name: leading + token.text };
    }
    const args = this.#until(')', () => this.#expression());
    const [first] = args;
    if (token.text === 'has' && first !== undefined && args.length === 1) {
      return expandHas(first, open.offset, this.#nextId);
    }
    return this.#call(leading + token.text, open.offset, args);
  }

  /** `a.b.Type{field: value}`: names and an opening brace. */
  #struct(first: Token): Expr | undefined {
    let ahead = 0;
    let typeName = first.text;
    while (this.#peek(ahead).text === '.' && this.#peek(ahead + 1).kind === 'ident') {
      typeName += `.${this.#peek(ahead + 1).text}`;
      ahead += 2;
    }
    const brace = this.#peek(ahead);
    if (brace.kind !== 'operator' || brace.text !== '{') {
      return undefined;
    }
    this.#position += ahead + 1;
    const id = this.#nextId();
    const field = (): { name: string; value: Expr; optional: boolean } => {
      const optional = this.#accept('?') !== undefined;
      const name = this.#next();
      if (name.kind !== 'ident') {
        throw this.#unexpected(name, 'IDENTIFIER');
      }
      this.#expect(':');
      return { name: name.text, value: this.#expression(), optional };
    };
    return { kind: 'struct', id, offset: brace.offset, typeName, fields: this.#until('}', field, true) };
  }
}

/**
 * Parses a source text, macros expanded.
 *
 * @throws {CelSyntaxError} at the first syntax error
 */
export const parse = (source: string): Expr => new Parser(source).parse();
