import { formatFieldError } from '@hawser/schema';
import { invalid } from '../object/invalid.js';
import { labelValue, qualifiedName } from '../object/names.js';
import { badRequest } from '../status.js';

type Operator = 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/** `app=a,tier in (x,y),!old` (apimachinery `labels`). */
export class LabelSelector {
  readonly #requirements: readonly Requirement[];

  constructor(requirements: readonly Requirement[]) {
    this.#requirements = requirements;
  }

  get empty(): boolean {
    return this.#requirements.length === 0;
  }

  matches(labels: Readonly<Record<string, string>>): boolean {
    return this.#requirements.every((requirement) => satisfies(labels, requirement));
  }
}

export const everyLabel = new LabelSelector([]);

function satisfies(labels: Readonly<Record<string, string>>, { key, operator, values }: Requirement): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt': {
      if (value === undefined || !/^[-+]?\d+$/u.test(value)) return false;
      const bound = BigInt(values[0] ?? '0');
      return operator === 'gt' ? BigInt(value) > bound : BigInt(value) < bound;
    }
  }
}

/** Throws 400 for what is not a selector, with the parser's words. */
export function parseLabelSelector(text: string): LabelSelector {
  try {
    return new LabelSelector(new Parser(text).parse());
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(error.message);
    throw error;
  }
}

type TokenKind = 'identifier' | 'in' | 'notin' | '(' | ')' | ',' | '!' | '=' | '==' | '!=' | '>' | '<' | 'end';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const SPECIAL = '=!(),><';

function tokens(text: string): readonly Token[] {
  const found: Token[] = [];
  const pattern = /\s*(?:(==|!=|[=!(),><])|([^\s=!(),><]+))/uy;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) break;
    const symbol = match[1];
    const word = match[2] ?? '';
    if (symbol !== undefined && SPECIAL.includes(symbol.charAt(0)))
      found.push({ kind: symbol as TokenKind, text: symbol });
    else found.push({ kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word });
  }
  return [...found, { kind: 'end', text: '' }];
}

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = tokens(text);
  }

  parse(): readonly Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'end') return requirements;
      if (token.kind !== 'identifier' && token.kind !== '!')
        throw new SyntaxError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.#wrapped());
      const after = this.#next();
      if (after.kind === 'end') return requirements;
      if (after.kind !== ',') throw new SyntaxError(`found '${after.text}', expected: ',' or 'end of string'`);
      const following = this.#peek();
      if (following.kind !== 'identifier' && following.kind !== '!')
        throw new SyntaxError(`found '${following.text}', expected: identifier after ','`);
    }
  }

  #wrapped(): Requirement {
    try {
      return this.#requirement();
    } catch (error) {
      throw error instanceof SyntaxError ? new SyntaxError(`unable to parse requirement: ${error.message}`) : error;
    }
  }

  #requirement(): Requirement {
    let token = this.#next();
    const negated = token.kind === '!';
    if (negated) token = this.#next();
    if (token.kind !== 'identifier') throw new SyntaxError(`found '${token.text}', expected: identifier`);
    const key = token.text;
    checkKey(key);
    if (negated) return { key, operator: '!', values: [] };
    const next = this.#peek();
    if (next.kind === 'end' || next.kind === ',') return { key, operator: 'exists', values: [] };
    const requirement = this.#restriction(key);
    requirement.values.forEach((value, index) => {
      checkValue(key, value, requirement.operator, index);
    });
    return requirement;
  }

  #restriction(key: string): Requirement {
    const token = this.#next(true);
    switch (token.kind) {
      case 'in':
      case 'notin':
        return { key, operator: token.kind, values: this.#values() };
      case '=':
      case '==':
        return { key, operator: 'in', values: [this.#exactValue()] };
      case '!=':
        return { key, operator: 'notin', values: [this.#exactValue()] };
      case '>':
        return { key, operator: 'gt', values: [this.#exactValue()] };
      case '<':
        return { key, operator: 'lt', values: [this.#exactValue()] };
      case 'identifier':
      case '(':
      case ')':
      case ',':
      case '!':
      case 'end':
        throw new SyntaxError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #exactValue(): string {
    const token = this.#peek();
    if (token.kind === 'end' || token.kind === ',') return '';
    this.#next();
    if (token.kind !== 'identifier') throw new SyntaxError(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  #values(): readonly string[] {
    const open = this.#next();
    if (open.kind !== '(') throw new SyntaxError(`found '${open.text}' expected: '('`);
    const values = new Set<string>();
    const first = this.#peek();
    if (first.kind === ')') {
      this.#next();
      return [''];
    }
    if (first.kind !== 'identifier' && first.kind !== ',')
      throw new SyntaxError(`found '${first.text}', expected: ',', ')' or identifier`);
    for (;;) {
      const token = this.#next();
      if (token.kind === 'identifier') {
        values.add(token.text);
        const after = this.#peek();
        if (after.kind === ')') break;
        if (after.kind !== ',') throw new SyntaxError(`found '${after.text}', expected: ',' or ')'`);
      } else if (token.kind === ',') {
        if (values.size === 0) values.add('');
        const after = this.#peek();
        if (after.kind === ')') {
          values.add('');
          break;
        }
        if (after.kind === ',') values.add('');
      } else {
        throw new SyntaxError(`found '${token.text}', expected: ',', or identifier`);
      }
    }
    this.#next();
    return [...values].sort();
  }

  /** `in` and `notin` are words like others where no operator can be. */
  #peek(operator = false): Token {
    const token = this.#tokens[this.#position] ?? { kind: 'end', text: '' };
    return !operator && (token.kind === 'in' || token.kind === 'notin')
      ? { kind: 'identifier', text: token.text }
      : token;
  }

  #next(operator = false): Token {
    const token = this.#peek(operator);
    this.#position++;
    return token;
  }
}

function checkKey(key: string): void {
  const errors = qualifiedName(key);
  if (errors.length > 0) throw new SyntaxError(formatFieldError(invalid('', key, errors.join('; '))));
}

function checkValue(key: string, value: string, operator: Operator, index: number): void {
  if (operator === 'gt' || operator === 'lt') {
    if (!/^[-+]?\d+$/u.test(value))
      throw new SyntaxError(
        formatFieldError(invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")),
      );
    return;
  }
  const errors = labelValue(value);
  if (errors.length > 0)
    throw new SyntaxError(formatFieldError(invalid(`values[${index}][${key}]`, value, errors.join('; '))));
}
