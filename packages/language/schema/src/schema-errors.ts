import type { JsonValue } from '@hawser/json';
import type { Correlation } from './correlation.js';
import type { FieldError } from './field-error.js';
import type { JsonSchemaProps } from './json-schema-props.js';
import { ValueValidator } from './value-validator.js';
import { Walk } from './walk.js';

/** What a schema says is wrong with a value. Paths are below `prefix`. */
export function schemaErrors(
  validator: ValueValidator,
  value: JsonValue,
  correlation: Correlation | undefined,
  prefix: string,
): FieldError[] {
  const walk = new Walk();
  validator.validate(value, walk);
  if (walk.findings.valid || correlation === undefined) return walk.findings.toFieldErrors(prefix);
  // Only what is wrong can be forgiven, so the old object is looked at only now.
  const forgiving = new Walk();
  validator.validate(value, forgiving, correlation);
  return forgiving.findings.toFieldErrors(prefix);
}

/** As {@link schemaErrors}, for a schema that is used once. */
export const invalidValue = (schema: JsonSchemaProps, value: JsonValue, prefix: string): FieldError[] =>
  schemaErrors(new ValueValidator(schema), value, undefined, prefix);
