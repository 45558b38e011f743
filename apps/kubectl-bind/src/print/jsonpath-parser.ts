/**
 * A template of kubectl's JSONPath that is malformed, or does not fit its data. The message names the position and
 * quotes no data.
 */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

/** Part of a template. Closed. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly steps: readonly Step[] }
  /** `{range PATH}…{end}` */
  | { readonly kind: 'range'; readonly steps: readonly Step[]; readonly body: readonly Part[] };

/** A step from values to values below them. Closed. */
export type Step =
  /** `$`: start again at the root. */
  | { readonly kind: 'root' }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  /** `..`: the values and everything below them. */
  | { readonly kind: 'recursive' }
  | {
      readonly kind: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly step: number;
    }
  | { readonly kind: 'index'; readonly at: number }
  | { readonly kind: 'filter'; readonly left: Operand; readonly comparison: Comparison | undefined }
  | { readonly kind: 'union'; readonly steps: readonly (readonly Step[])[] };

export type Operator = '==' | '!=' | '<=' | '>=' | '<' | '>';

export interface Comparison {
  readonly operator: Operator;
  readonly right: Operand;
}

export type Operand =
  | { readonly kind: 'value'; readonly value: string | number | boolean }
  | { readonly kind: 'path'; readonly steps: readonly Step[] };

/** Limit of nesting; people write no deeper templates. */
const DEEPEST = 32;

/**
 * Parses a template (`kubectl get -o jsonpath=…`).
 * @throws JsonPathError
 */
export function parseJsonPath(template: string): readonly Part[] {
  const reader = new TemplateReader(template);
  const parts = reader.parts(0);
  if (!reader.isAtEnd()) throw new JsonPathError(`{end} at ${reader.position} ends no {range}`);
  return parts;
}

class TemplateReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  get position(): string {
    return `character ${this.#at + 1}`;
  }

  /** Parses to the end, or up to an `{end}`, which the caller consumes. */
  parts(depth: number): readonly Part[] {
    if (depth > DEEPEST) throw new JsonPathError(`more than ${DEEPEST} {range} are in each other`);
    const found: Part[] = [];
    while (!this.isAtEnd()) {
      const open = this.#text.indexOf('{', this.#at);
      const until = open < 0 ? this.#text.length : open;
      if (until > this.#at) found.push({ kind: 'text', text: this.#text.slice(this.#at, until) });
      this.#at = until;
      if (open < 0) break;
      const start = this.#at;
      const inside = this.#inside();
      if (inside === 'end') {
        this.#at = start;
        break;
      }
      const range = /^range\s+/u.exec(inside)?.[0];
      if (range === undefined) {
        found.push(...expressions(inside));
        continue;
      }
      const [first] = expressions(inside.slice(range.length));
      if (first?.kind !== 'path') throw new JsonPathError(`{range} at character ${start + 1} needs a path`);
      const body = this.parts(depth + 1);
      if (this.isAtEnd()) throw new JsonPathError(`{range} at character ${start + 1} has no {end}`);
      this.#inside();
      found.push({ kind: 'range', steps: first.steps, body });
    }
    return found;
  }

  /** The text between braces; quotes may contain braces. */
  #inside(): string {
    const start = ++this.#at;
    let quote = '';
    for (; this.#at < this.#text.length; this.#at++) {
      const letter = this.#text.charAt(this.#at);
      if (letter === '\\') this.#at++;
      else if (quote !== '') quote = letter === quote ? '' : quote;
      else if (letter === '"' || letter === "'") quote = letter;
      else if (letter === '}') return this.#text.slice(start, this.#at++).trim();
    }
    throw new JsonPathError(`the brace at character ${start} is not closed`);
  }
}

/** Adjacent paths and quoted texts. */
function expressions(text: string): readonly Part[] {
  const found: Part[] = [];
  let rest = text;
  while (rest !== '') {
    const quoted = quotedAt(rest);
    if (quoted !== undefined) {
      found.push({ kind: 'text', text: quoted.value });
      rest = rest.slice(quoted.length).trimStart();
      continue;
    }
    const { steps, length } = pathAt(rest);
    if (length === 0) throw new JsonPathError(`"${rest.slice(0, 40)}" is no path: it begins with "." or "["`);
    found.push({ kind: 'path', steps });
    rest = rest.slice(length).trimStart();
  }
  return found;
}

function quotedAt(text: string): { readonly value: string; readonly length: number } | undefined {
  const found = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/su.exec(text);
  if (found === null) return undefined;
  return { value: unescaped(found[1] ?? found[2] ?? ''), length: found[0].length };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gsu, (_, letter: string) => ESCAPES[letter] ?? letter);
}

interface ReadPath {
  readonly steps: readonly Step[];
  /** Length of the text read. */
  readonly length: number;
}

function pathAt(text: string): ReadPath {
  const steps: Step[] = [];
  let at = 0;
  if (text.startsWith('$')) {
    steps.push({ kind: 'root' });
    at = 1;
  } else if (text.startsWith('@')) at = 1;
  for (;;) {
    const rest = text.slice(at);
    const field = /^(\.\.|\.)((?:[^\s.[\]{}()'"=!<>,|&?\\]|\\.)*)/su.exec(rest);
    if (field !== null) {
      at += field[0].length;
      if (field[1] === '..') steps.push({ kind: 'recursive' });
      const name = field[2] ?? '';
      if (name === '*') steps.push({ kind: 'wildcard' });
      else if (name !== '') steps.push({ kind: 'field', name: name.replaceAll(/\\(.)/gsu, '$1') });
    } else if (rest.startsWith('[')) {
      const inside = bracketAt(rest);
      steps.push(bracketStep(inside.trim()));
      at += inside.length + 2;
    } else return { steps, length: at };
  }
}

/** The text between brackets; quotes and inner brackets may contain brackets. */
function bracketAt(text: string): string {
  let quote = '';
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === '\\') at++;
    else if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '[') depth++;
    else if (letter === ']' && --depth === 0) return text.slice(1, at);
  }
  throw new JsonPathError(`"${text.slice(0, 40)}" has no closing bracket`);
}

function bracketStep(inside: string): Step {
  const filter = /^\?\((.*)\)$/su.exec(inside)?.[1];
  if (filter !== undefined) return filterStep(filter.trim());
  if (inside === '*') return { kind: 'wildcard' };
  const parts = split(inside);
  if (parts.length > 1) return { kind: 'union', steps: parts.map((part) => [bracketStep(part)]) };
  const quoted = quotedAt(inside);
  if (quoted?.length === inside.length) return { kind: 'field', name: quoted.value };
  if (/^-?\d{1,9}$/u.test(inside)) return { kind: 'index', at: Number(inside) };
  const slice = /^(-?\d{0,9}):(-?\d{0,9})(?::(-?\d{0,9}))?$/u.exec(inside);
  if (slice === null) throw new JsonPathError(`[${inside.slice(0, 40)}] is no index, slice, name or filter`);
  const number = (text: string | undefined): number | undefined =>
    text === undefined || text === '' || text === '-' ? undefined : Number(text);
  const step = number(slice[3]) ?? 1;
  if (step < 1) throw new JsonPathError(`[${inside}] goes backwards, or nowhere`);
  return { kind: 'slice', from: number(slice[1]), to: number(slice[2]), step };
}

/** Splits at commas outside quotes. */
function split(text: string): readonly string[] {
  const parts: string[] = [];
  let [start, quote] = [0, ''];
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === ',') {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}

function filterStep(text: string): Step {
  const left = operandAt(text);
  const rest = text.slice(left.length).trimStart();
  if (rest === '') return { kind: 'filter', left: left.operand, comparison: undefined };
  const operator = /^(?:==|!=|<=|>=|<|>)/u.exec(rest)?.[0] as Operator | undefined;
  if (operator === undefined) throw new JsonPathError(`?(${text.slice(0, 40)}) has no operator`);
  const after = rest.slice(operator.length).trimStart();
  const right = operandAt(after);
  if (after.slice(right.length).trim() !== '')
    throw new JsonPathError(`?(${text.slice(0, 40)}) compares more than two values`);
  return { kind: 'filter', left: left.operand, comparison: { operator, right: right.operand } };
}

function operandAt(text: string): { readonly operand: Operand; readonly length: number } {
  const quoted = quotedAt(text);
  if (quoted !== undefined) return { operand: { kind: 'value', value: quoted.value }, length: quoted.length };
  const plain = /^(?:true|false|-?\d+(?:\.\d+)?)(?![\w.])/u.exec(text)?.[0];
  if (plain !== undefined)
    return {
      operand: { kind: 'value', value: plain === 'true' ? true : plain === 'false' ? false : Number(plain) },
      length: plain.length,
    };
  const { steps, length } = pathAt(text);
  if (length === 0) throw new JsonPathError(`"${text.slice(0, 40)}" is no value and no path`);
  return { operand: { kind: 'path', steps }, length };
}
