import { equal } from '@hawser/json';
import { type SchemaNode, listOf } from '../definition.js';
import { type Keyword, isNothing } from './keyword.js';

/** A reworded condition counts as another one: whether old values satisfy it cannot be decided. */
export const compareConditions: Keyword = (before, after, { path, report }) => {
  for (const keyword of ['anyOf', 'oneOf', 'not'] as const) {
    const [was, is] = [conditionOf(before, keyword), conditionOf(after, keyword)];
    if (equal(was, is)) continue;
    if (!isNothing(is)) report('condition-changed', path, `has another condition (${keyword})`);
    else if (!isNothing(was)) report('condition-removed', path, `has no condition any more (${keyword})`);
  }
  const [was, is] = [allOf(before), allOf(after)];
  // All of them must be satisfied, so only a new one can refuse a value.
  if (is.some((condition) => !was.some((other) => equal(other, condition))))
    report('condition-changed', path, 'has another condition (allOf)');
  else if (is.length < was.length) report('condition-removed', path, 'has a condition less (allOf)');
};

const intOrString = [{ type: 'integer' }, { type: 'string' }];

/** A mere repetition of `x-kubernetes-int-or-string` is not a condition. */
function conditionOf(schema: SchemaNode, keyword: 'anyOf' | 'oneOf' | 'not'): unknown {
  const condition = schema[keyword];
  if (isNothing(condition)) return undefined;
  return keyword === 'anyOf' && isIntOrString(schema, condition) ? undefined : condition;
}

function allOf(schema: SchemaNode): readonly unknown[] {
  return listOf(schema['allOf']).filter(
    (condition) => !equal(condition, { anyOf: intOrString }) || schema['x-kubernetes-int-or-string'] !== true,
  );
}

function isIntOrString(schema: SchemaNode, condition: unknown): boolean {
  return schema['x-kubernetes-int-or-string'] === true && equal(condition, intOrString);
}
