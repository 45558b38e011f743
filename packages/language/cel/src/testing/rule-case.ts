import type { JsonValue } from '@hawser/json';
import type { JsonSchemaProps, ValidationRule } from '@hawser/schema';

/** Rules for values of one schema, and test values. Every rule sees every value. */
export interface RuleCase {
  readonly title: string;
  readonly schema: JsonSchemaProps;
  readonly rules: readonly (string | ValidationRule)[];
  readonly values: readonly JsonValue[];
  /** Pairs of an old and a new value. */
  readonly updates?: readonly (readonly [from: JsonValue, to: JsonValue])[];
}

/** Field name for one rule. */
export const fieldOf = (caseIndex: number, ruleIndex: number): string => `c${caseIndex}r${ruleIndex}`;

export const ruleOf = (rule: string | ValidationRule): ValidationRule => (typeof rule === 'string' ? { rule } : rule);

/** A schema whose `spec` has one field for each rule of each case. */
export const schemaOfCases = (cases: readonly RuleCase[]): JsonSchemaProps => {
  const fields = cases.flatMap(({ schema, rules }, caseIndex) =>
    rules.map((rule, ruleIndex): [string, JsonSchemaProps] => [
      fieldOf(caseIndex, ruleIndex),
      { ...schema, 'x-kubernetes-validations': [ruleOf(rule)] },
    ]),
  );
  return { type: 'object', properties: { spec: { type: 'object', properties: Object.fromEntries(fields) } } };
};

/** A `spec` that puts one value under every rule of a case. */
export const specOf = (cases: readonly RuleCase[], caseIndex: number, value: JsonValue): Record<string, JsonValue> =>
  Object.fromEntries((cases[caseIndex]?.rules ?? []).map((_, ruleIndex) => [fieldOf(caseIndex, ruleIndex), value]));
