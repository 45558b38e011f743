import { type JsonValue, canonical } from '@hawser/json';
import type { FieldError, FieldErrorType } from './field-error.js';
import { goFloat, goQuote } from './go-text.js';
import { isInt64 } from './number-kind.js';

/** One entry of `details.causes` of a `Status`. */
export interface StatusCause {
  readonly reason: FieldErrorType;
  readonly message: string;
  readonly field: string;
}

const TITLES: Readonly<Record<FieldErrorType, string>> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
};

const WITHOUT_VALUE: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'InternalError',
]);

/** The whole line, as in a Status' `message`: `spec.size: Invalid value: 5: must be at least 7`. */
export const formatFieldError = (error: FieldError): string => `${fieldOf(error)}: ${formatFieldErrorBody(error)}`;

/** A cause's `message`: the line without the field. */
export function formatFieldErrorBody(error: FieldError): string {
  const title = TITLES[error.type];
  const value = error.shown ?? (error.value === undefined ? undefined : formatValue(error.value));
  const head = value === undefined || WITHOUT_VALUE.has(error.type) ? title : `${title}: ${value}`;
  return error.detail === '' ? head : `${head}: ${error.detail}`;
}

/** The causes of a Status, in the order of the errors. */
export function toStatusCauses(errors: readonly FieldError[]): StatusCause[] {
  return errors.map((error) => ({ reason: error.type, message: formatFieldErrorBody(error), field: fieldOf(error) }));
}

/**
 * The `message` of a Status with reason Invalid: `Database.example.com "x" is invalid: [a, b]`; equal lines appear
 * once.
 */
export function invalidStatusMessage(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): string {
  const head = `${kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`} ${goQuote(name)} is invalid`;
  const lines = [...new Set(errors.map(formatFieldError))];
  if (lines.length === 0) return head;
  return `${head}: ${lines.length === 1 ? lines.join('') : `[${lines.join(', ')}]`}`;
}

/** The real API server has no path for the object itself, and this is how Go prints that. */
const fieldOf = (error: FieldError): string => (error.path === '' ? '<nil>' : error.path);

function formatValue(value: JsonValue): string {
  if (typeof value === 'string') return goQuote(value);
  if ((typeof value === 'number' || typeof value === 'bigint') && !isInt64(value)) return goFloat(Number(value));
  return canonical(value);
}
