import { type RuleSet, UnsupportedExpression, compileRules as compile } from '@hawser/cel';
import type { JsonObject } from '@hawser/json';
import type { FieldError, JsonSchemaProps } from '@hawser/schema';
import { notImplemented } from '../../status.js';

/** `x-kubernetes-validations` of one schema. */
export interface RuleValidator {
  /** Validates an object that has passed the schema. Throws 501 for a rule that cannot run here. */
  validate(object: JsonObject, old: JsonObject | undefined): readonly FieldError[];
}

export const noRules: RuleValidator = { validate: () => [] };

export function compileRules(schema: JsonSchemaProps): RuleValidator {
  const rules: RuleSet = compile(schema);
  if (rules.isEmpty) return noRules;
  return {
    validate(object, old) {
      try {
        return rules.evaluate(object, old);
      } catch (error) {
        if (error instanceof UnsupportedExpression)
          throw notImplemented(`a rule in CEL that uses what is not supported (${error.message})`);
        throw error;
      }
    },
  };
}
