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

/** One problem of one field. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** In Kubernetes' form: `spec.list[0].name`, `metadata.labels[a.b/c]`; empty (`""`) for the object itself. */
  readonly path: string;
  /** The refused value. Only some types show it in the message. */
  readonly value?: JsonValue;
  /** Text of the value in the message, if the API server has a special form for it (a Go struct with Go's names). */
  readonly shown?: string;
  readonly detail: string;
}
