import type { JsonValue } from '@hawser/json';

/** Why a field is refused: the `reason` of a cause in a `Status` (apimachinery `field.ErrorType`). */
export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** One thing that is wrong with one field. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** As Kubernetes writes it: `spec.list[0].name`, `metadata.labels[a.b/c]`; empty (`""`) for the object itself. */
  readonly path: string;
  /** The value that is refused. Shown in the message for some types only. */
  readonly value?: JsonValue;
  /** The text of the value in the message, where the API server writes it in a way of its own (a Go struct with Go's names). */
  readonly shown?: string;
  readonly detail: string;
}
