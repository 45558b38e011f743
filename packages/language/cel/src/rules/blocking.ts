import type { FieldError, FieldErrorType } from '@hawser/schema';

const blocking: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/**
 * The error that an API server adds instead of evaluating rules, if the object is so wrong that rules could not rely on
 * its schema. Undefined: evaluate the rules (`customresource/strategy.go`, `hasBlockingErr`).
 *
 * @param errors - errors found before the rules
 */
export const rulesNotChecked = (errors: readonly FieldError[]): FieldError | undefined =>
  errors.some((error) => blocking.has(error.type))
    ? {
        type: 'FieldValueInvalid',
        path: '',
        value: null,
        detail:
          'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      }
    : undefined;
