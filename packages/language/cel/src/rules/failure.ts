import type { JsonValue } from '@hawser/json';
import type { FieldError, JsonSchemaProps, ValidationRule } from '@hawser/schema';
import { trimSpace } from '../library/strings.js';

/** Name of a rule in errors: its message, or its text. */
export const ruleText = (rule: ValidationRule): string =>
  trimSpace((rule.message ?? '') === '' ? rule.rule : (rule.message ?? ''));

/** Message of a failed rule without a `messageExpression`. */
export const defaultMessage = (rule: ValidationRule): string =>
  (rule.message ?? '') === '' ? `failed rule: ${ruleText(rule)}` : ruleText(rule);

/** The evaluation of the rule failed. */
export const evaluationFailure = (
  path: string,
  schema: JsonSchemaProps,
  rule: ValidationRule,
  message: string,
): FieldError => ({
  type: 'FieldValueInvalid',
  path,
  value: schema.type ?? '',
  detail: message.startsWith('no such overload')
    ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`
    : `${message} evaluating rule: ${ruleText(rule)}`,
});

/** The rule is false. The error does not repeat objects and lists. */
export const ruleFailure = (
  path: string,
  schema: JsonSchemaProps,
  value: JsonValue,
  rule: ValidationRule,
  detail: string,
): FieldError => {
  const shown = schema.type === 'object' || schema.type === 'array' ? {} : { value };
  if (rule.reason === 'FieldValueForbidden' || rule.reason === 'FieldValueRequired') {
    return { type: rule.reason, path, detail };
  }
  return rule.reason === 'FieldValueDuplicate'
    ? { type: 'FieldValueDuplicate', path, ...shown, detail: '' }
    : { type: 'FieldValueInvalid', path, ...shown, detail };
};
