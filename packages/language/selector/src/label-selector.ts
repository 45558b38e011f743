/** How a term compares. `!` selects objects without the label; `gt` and `lt` compare integers. */
export type LabelOperator = 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** One term of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** A parsed label selector such as `app=a,tier in (x,y),!old` (apimachinery `labels`). */
export class LabelSelector {
  readonly #requirements: readonly LabelRequirement[];

  constructor(requirements: readonly LabelRequirement[]) {
    this.#requirements = requirements;
  }

  get empty(): boolean {
    return this.#requirements.length === 0;
  }

  matches(labels: Readonly<Record<string, string>>): boolean {
    return this.#requirements.every((requirement) => satisfies(labels, requirement));
  }

  /**
   * Whether some labels satisfy both selectors. Never wrongly false; wrongly true only where `gt` or `lt` exclude the
   * other selector.
   */
  mayMeet(other: LabelSelector): boolean {
    const byKey = Map.groupBy([...this.#requirements, ...other.#requirements], ({ key }) => key);
    return [...byKey.values()].every(isPossible);
  }
}

/** Whether a label can satisfy all of these requirements on its key. */
function isPossible(requirements: readonly LabelRequirement[]): boolean {
  const refused = new Set(requirements.flatMap(({ operator, values }) => (operator === 'notin' ? values : [])));
  const allowed = requirements.flatMap(({ operator, values }) => (operator === 'in' ? [new Set(values)] : []));
  const mayBeAbsent = requirements.every(({ operator }) => operator === '!' || operator === 'notin');
  if (mayBeAbsent) return true;
  if (requirements.some(({ operator }) => operator === '!')) return false;
  const [first, ...others] = allowed;
  return (
    first === undefined ||
    [...first].some((value) => !refused.has(value) && others.every((values) => values.has(value)))
  );
}

/** Selects every object. */
export const everyLabel = new LabelSelector([]);

function satisfies(labels: Readonly<Record<string, string>>, { key, operator, values }: LabelRequirement): boolean {
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

/** Label rules. Each throws a `SyntaxError` for a violation. */
export interface LabelChecks {
  key(key: string): void;
  value(key: string, value: string, operator: LabelOperator, index: number): void;
}

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?$/u;
const PREFIX = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/u;
const LONGEST_NAME = 63;
const LONGEST_PREFIX = 253;

/** The API server's rules for keys and values of labels. */
export const labelRules: LabelChecks = {
  key: (key) => {
    const [name = '', prefix, ...more] = key.split('/').reverse();
    const fits = NAME.test(name) && name.length <= LONGEST_NAME && more.length === 0;
    const prefixFits = prefix === undefined || (PREFIX.test(prefix) && prefix.length <= LONGEST_PREFIX);
    if (!fits || !prefixFits) throw new SyntaxError(`unable to parse requirement: no label can have the key '${key}'`);
  },
  value: (_, value, operator) => {
    if (operator === 'gt' || operator === 'lt') {
      if (!/^[-+]?\d+$/u.test(value))
        throw new SyntaxError(`unable to parse requirement: '${value}' is no integer to compare with`);
    } else if (value !== '' && !(NAME.test(value) && value.length <= LONGEST_NAME))
      throw new SyntaxError(`unable to parse requirement: no label can have the value '${value}'`);
  },
};

/**
 * Parses a label selector with apimachinery's rules and messages.
 * @param check the rules for keys and values. Without it, an impossible key or value is an ordinary term.
 * @throws {SyntaxError} for text that is not a selector.
 */
export function parseLabelSelector(text: string, check?: LabelChecks): LabelSelector {
  return new LabelSelector(new Parser(text, check).parse());
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
  readonly #check: LabelChecks | undefined;
  #position = 0;

  constructor(text: string, check: LabelChecks | undefined) {
    this.#tokens = tokens(text);
    this.#check = check;
  }

  parse(): readonly LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
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

  #wrapped(): LabelRequirement {
    try {
      return this.#requirement();
    } catch (error) {
      throw error instanceof SyntaxError ? new SyntaxError(`unable to parse requirement: ${error.message}`) : error;
    }
  }

  #requirement(): LabelRequirement {
    let token = this.#next();
    const negated = token.kind === '!';
    if (negated) token = this.#next();
    if (token.kind !== 'identifier') throw new SyntaxError(`found '${token.text}', expected: identifier`);
    const key = token.text;
    this.#check?.key(key);
    if (negated) return { key, operator: '!', values: [] };
    const next = this.#peek();
    if (next.kind === 'end' || next.kind === ',') return { key, operator: 'exists', values: [] };
    const requirement = this.#restriction(key);
    requirement.values.forEach((value, index) => {
      this.#check?.value(key, value, requirement.operator, index);
    });
    return requirement;
  }

  #restriction(key: string): LabelRequirement {
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

  /** `in` and `notin` are ordinary words where no operator is possible. */
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
