import type { FieldError, FieldErrorType } from '@hawser/schema';

const blocking: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/**
 * The error an API server adds in place of evaluating rules, when an object is so wrong that rules could not rely on its schema; otherwise
 * undefined, and the rules are to be evaluated (`customresource/strategy.go`, `hasBlockingErr`).
 *
 * @param errors - what was found before the rules
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
