import type { JsonValue } from '@hawser/json';
import type { Correlation } from './correlation.js';
import type { FieldError } from './field-error.js';
import type { JsonSchemaProps } from './json-schema-props.js';
import { ValueValidator } from './value-validator.js';
import { Walk } from './walk.js';

/** A schema's errors about a value. Paths are below `prefix`. */
export function schemaErrors(
  validator: ValueValidator,
  value: JsonValue,
  correlation: Correlation | undefined,
  prefix: string,
): FieldError[] {
  const walk = new Walk();
  validator.validate(value, walk);
  if (walk.findings.valid || correlation === undefined) return walk.findings.toFieldErrors(prefix);
  // Only errors can be forgiven, so the old object is checked only now.
  const forgiving = new Walk();
  validator.validate(value, forgiving, correlation);
  return forgiving.findings.toFieldErrors(prefix);
}

/** {@link schemaErrors} for a schema used once. */
export const invalidValue = (schema: JsonSchemaProps, value: JsonValue, prefix: string): FieldError[] =>
  schemaErrors(new ValueValidator(schema), value, undefined, prefix);
