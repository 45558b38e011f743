import { endOfQuoted } from './balanced.js';
import { unescape } from './unescape.js';

/** The condition of `#(…)`. */
export interface Query {
  /** Path in each element; empty: the element itself. */
  readonly path: string;
  /** Empty: whether `path` exists. */
  readonly operator: string;
  readonly operand: string;
}

export interface ParsedQuery {
  readonly query: Query;
  /** Index after the closing parenthesis. */
  readonly end: number;
}

const OPERATORS = ['!=', '!%', '<=', '>=', '==', '<', '>', '=', '%'];

/** Reads the query at the beginning of a path (`#(` or `#[`); undefined if unterminated. */
export function parseQuery(path: string): ParsedQuery | undefined {
  let depth = 1;
  let comparison = 0;
  let escaped = false;
  let index = 2;
  for (; index < path.length; index++) {
    const character = path.charAt(index);
    if (depth === 1 && comparison === 0 && '!=<>%'.includes(character)) {
      comparison = index;
    } else if (character === '\\') {
      index++;
    } else if (character === '[' || character === '(') {
      depth++;
    } else if (character === ']' || character === ')') {
      if (--depth === 0) break;
    } else if (character === '"') {
      const end = endOfQuoted(path, index);
      escaped ||= path.slice(index, end).includes('\\');
      index = end - 1;
    }
  }
  if (depth > 0) return undefined;
  const end = index + 1;
  if (comparison === 0) return { query: { path: trim(path.slice(2, index)), operator: '', operand: '' }, end };
  return {
    query: { path: trim(path.slice(2, comparison)), ...parseComparison(trim(path.slice(comparison, index)), escaped) },
    end,
  };
}

function parseComparison(text: string, escaped: boolean): Pick<Query, 'operator' | 'operand'> {
  if (text.length === 1) return { operator: text, operand: '' };
  const operator = OPERATORS.find((candidate) => text.startsWith(candidate)) ?? '';
  const operand = trim(text.slice(operator.length));
  return { operator: operator === '==' ? '=' : operator, operand: unquote(operand, escaped) };
}

function unquote(operand: string, escaped: boolean): string {
  if (operand.length < 2 || !operand.startsWith('"') || !operand.endsWith('"')) return operand;
  const text = operand.slice(1, -1);
  return escaped ? unescape(text) : text;
}

/** Strips surrounding spaces and control characters. */
const trim = (text: string): string => text.replace(/^[\0- ]+|[\0- ]+$/gu, '');
