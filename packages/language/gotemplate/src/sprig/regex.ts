import { compile, type GoRegExp, InvalidPattern, quoteMeta } from '@hawser/goregexp';
import { fn, type FunctionMap, type TemplateFunction } from '../template-function.js';
import type { Budget } from '../exec/budget.js';
import type { GoList } from '../values/go-value.js';
import { nilList, stringList } from '../values/types.js';

/** Matching time grows with the text, faster than for most functions. */
function charge(pattern: string, text: string, budget: Budget): void {
  budget.charge(pattern.length * 16 + text.length * 8);
}

function compiled(pattern: string, text: string, budget: Budget): GoRegExp {
  charge(pattern, text, budget);
  try {
    return compile(pattern);
  } catch (error) {
    // The pattern may come from the data.
    if (error instanceof InvalidPattern) throw new Error('the pattern is not a regular expression');
    throw error;
  }
}

/** Charges the largest possible result of a replacement, if it exceeds the text and its regular charge. */
function chargeReplacement(text: string, replacement: string, budget: Budget): void {
  const expansions = replacement.split('$').length - 1;
  const largest = (text.length + 1) * (replacement.length + expansions * text.length);
  if (largest > 1_048_576) budget.charge(largest);
}

const found = (texts: readonly string[]): GoList => (texts.length === 0 ? nilList('string') : stringList(texts));

function both(name: string, implementation: TemplateFunction): Record<string, TemplateFunction> {
  return { [name]: implementation, [`must${name.charAt(0).toUpperCase()}${name.slice(1)}`]: implementation };
}

export const regex: FunctionMap = {
  regexMatch: fn(['string', 'string'], (pattern, text, { budget }) => {
    charge(pattern, text, budget);
    try {
      return compile(pattern).matches(text);
    } catch (error) {
      if (error instanceof InvalidPattern) return false;
      throw error;
    }
  }),
  mustRegexMatch: fn(['string', 'string'], (pattern, text, { budget }) =>
    compiled(pattern, text, budget).matches(text),
  ),
  ...both(
    'regexFindAll',
    fn(['string', 'string', 'int'], (pattern, text, limit, { budget }) =>
      found(compiled(pattern, text, budget).findAll(text, limit)),
    ),
  ),
  ...both(
    'regexFind',
    fn(['string', 'string'], (pattern, text, { budget }) => compiled(pattern, text, budget).find(text) ?? ''),
  ),
  ...both(
    'regexReplaceAll',
    fn(['string', 'string', 'string'], (pattern, text, replacement, { budget }) => {
      chargeReplacement(text, replacement, budget);
      return compiled(pattern, text, budget).replaceAll(text, replacement);
    }),
  ),
  ...both(
    'regexReplaceAllLiteral',
    fn(['string', 'string', 'string'], (pattern, text, replacement, { budget }) => {
      chargeReplacement(text, replacement, budget);
      return compiled(pattern, text, budget).replaceAllLiteral(text, replacement);
    }),
  ),
  ...both(
    'regexSplit',
    fn(['string', 'string', 'int'], (pattern, text, limit, { budget }) =>
      found(compiled(pattern, text, budget).split(text, limit)),
    ),
  ),
  regexQuoteMeta: fn(['string'], quoteMeta),
};
