import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@hawser/json';
import type { FieldError, JsonSchemaProps, ValidationRule } from '@hawser/schema';
import { compileRules } from './rule-set.js';

const withRules = (schema: JsonSchemaProps, ...rules: readonly ValidationRule[]): JsonSchemaProps => ({
  ...schema,
  'x-kubernetes-validations': rules,
});

const object = (properties: Readonly<Record<string, JsonSchemaProps>>): JsonSchemaProps => ({
  type: 'object',
  properties,
});

/** A resource whose `spec` is subject to one rule. */
const evaluateSpec = (
  spec: JsonSchemaProps,
  rule: ValidationRule | string,
  value: JsonValue,
  oldValue?: JsonValue,
): FieldError[] => {
  const rules = compileRules(object({ spec: withRules(spec, typeof rule === 'string' ? { rule } : rule) }));
  return rules.evaluate({ spec: value }, oldValue === undefined ? undefined : { spec: oldValue });
};

const numbers = object({ min: { type: 'integer' }, max: { type: 'integer' } });

describe('a rule', () => {
  it('lets a value pass', () => {
    expect(evaluateSpec(numbers, 'self.min <= self.max', { min: 1, max: 2 })).toEqual([]);
  });

  it('refuses a value with its own text', () => {
    expect(evaluateSpec(numbers, 'self.min <= self.max', { min: 3, max: 2 })).toEqual([
      { type: 'FieldValueInvalid', path: 'spec', detail: 'failed rule: self.min <= self.max' },
    ]);
  });

  it('refuses a value with its message, at its field, for its reason', () => {
    const rule = {
      rule: 'self.min <= self.max',
      message: ' too small ',
      fieldPath: '.max',
      reason: 'FieldValueForbidden',
    };
    expect(evaluateSpec(numbers, rule, { min: 3, max: 2 })).toEqual([
      { type: 'FieldValueForbidden', path: 'spec.max', detail: 'too small' },
    ]);
  });

  it('computes its message', () => {
    const rule = { rule: 'self.min <= self.max', messageExpression: '"max must be " + string(self.min) + " or more"' };
    expect(evaluateSpec(numbers, rule, { min: 3, max: 2 })[0]?.detail).toBe('max must be 3 or more');
  });

  it('falls back to its message when the computed one fails', () => {
    const rule = { rule: 'self.min <= self.max', messageExpression: 'string(1 / (self.min - 3))', message: 'no' };
    expect(evaluateSpec(numbers, rule, { min: 3, max: 2 })[0]?.detail).toBe('no');
  });

  it('reports what goes wrong while it runs', () => {
    expect(evaluateSpec(numbers, 'self.min <= self.max', { min: 3 })).toEqual([
      {
        type: 'FieldValueInvalid',
        path: 'spec',
        value: 'object',
        detail: 'no such key: max evaluating rule: self.min <= self.max',
      },
    ]);
  });
});

describe('a transition rule', () => {
  const rule = 'self.min >= oldSelf.min';

  it('does not run on a creation', () => {
    expect(evaluateSpec(numbers, rule, { min: 1 })).toEqual([]);
  });

  it('runs on an update', () => {
    expect(evaluateSpec(numbers, rule, { min: 1 }, { min: 2 })).toHaveLength(1);
    expect(evaluateSpec(numbers, rule, { min: 2 }, { min: 1 })).toEqual([]);
  });

  it('runs on a creation if it takes an optional old value', () => {
    const optional = { rule: 'oldSelf.hasValue() || self.min == 0', optionalOldSelf: true };
    expect(evaluateSpec(numbers, optional, { min: 1 })).toHaveLength(1);
    expect(evaluateSpec(numbers, optional, { min: 1 }, { min: 7 })).toEqual([]);
  });

  it('follows items of a list by their keys', () => {
    const list: JsonSchemaProps = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: withRules(object({ name: { type: 'string' }, size: { type: 'integer' } }), {
        rule: 'self.size >= oldSelf.size',
      }),
    };
    const rules = compileRules(object({ spec: list }));
    const before = {
      spec: [
        { name: 'a', size: 5 },
        { name: 'b', size: 1 },
      ],
    };
    expect(
      rules.evaluate(
        {
          spec: [
            { name: 'b', size: 2 },
            { name: 'c', size: 0 },
            { name: 'a', size: 4 },
          ],
        },
        before,
      ),
    ).toEqual([{ type: 'FieldValueInvalid', path: 'spec[2]', detail: 'failed rule: self.size >= oldSelf.size' }]);
  });
});

describe('an update', () => {
  it('forgives a fault that was there before', () => {
    expect(evaluateSpec(numbers, 'self.min <= self.max', { min: 3, max: 2 }, { min: 3, max: 2 })).toEqual([]);
    expect(evaluateSpec(numbers, 'self.min <= self.max', { min: 3, max: 2 }, { min: 4, max: 2 })).toHaveLength(1);
  });
});

describe('the root of a resource', () => {
  it('knows the name, and nothing else of the metadata', () => {
    const schema = withRules(object({ spec: { type: 'object' } }), {
      rule: 'self.metadata.name.startsWith("a") && self.kind == "K"',
    });
    const rules = compileRules(schema);
    expect(rules.evaluate({ kind: 'K', apiVersion: 'v1', metadata: { name: 'ab', labels: { a: 'b' } } })).toEqual([]);
    expect(rules.evaluate({ kind: 'K', apiVersion: 'v1', metadata: { name: 'b' } })).toEqual([
      {
        type: 'FieldValueInvalid',
        path: '',
        detail: `failed rule: ${schema['x-kubernetes-validations']?.[0]?.rule ?? ''}`,
      },
    ]);
  });
});

describe('without rules', () => {
  it('there is nothing to do', () => {
    expect(compileRules(numbers).isEmpty).toBe(true);
    expect(compileRules(numbers).evaluate({ min: 1 })).toEqual([]);
  });
});
