import type { JsonValue } from '@hawser/json';
import { type FieldError, invalidStatusMessage, toStatusCauses } from '@hawser/schema';
import { type GroupResource, StatusError, quote } from '../status.js';

export const required = (path: string, detail: string): FieldError => ({ type: 'FieldValueRequired', path, detail });
export const invalid = (path: string, value: JsonValue, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  path,
  value,
  detail,
});
export const forbiddenField = (path: string, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  path,
  detail,
});
export const tooLongField = (path: string, limit: number): FieldError => ({
  type: 'FieldValueTooLong',
  path,
  detail: `may not be more than ${limit} ${limit === 1 ? 'byte' : 'bytes'}`,
});

export const notSupported = (path: string, value: JsonValue, supported: readonly string[]): FieldError => ({
  type: 'FieldValueNotSupported',
  path,
  value,
  detail: `supported values: ${supported.map(quote).join(', ')}`,
});

/** A child of a path: `metadata.labels`. */
export const child = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
export const item = (path: string, index: number | string): string => `${path}[${index}]`;

/** 422 with a cause for each error (`errors.NewInvalid`). */
export function invalidObject(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  return new StatusError(422, 'Invalid', invalidStatusMessage(kind, name, errors), {
    name,
    group: kind.group,
    kind: kind.kind,
    causes: toStatusCauses(errors),
  });
}

/** Errors that name the resource instead of the kind. */
export function invalidResource(
  { group, resource }: GroupResource,
  name: string,
  errors: readonly FieldError[],
): StatusError {
  return invalidObject({ group, kind: resource }, name, errors);
}
