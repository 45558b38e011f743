import type { JsonValue } from '@hawser/json';
import type { FieldError } from './field-error.js';
import { goQuote } from './go-text.js';

/** Constructors of apimachinery's `field` package: one for each reason, with its details. */

export const invalid = (path: string, value: JsonValue, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  path,
  value,
  detail,
});

export const typeInvalid = (path: string, value: JsonValue, detail: string): FieldError => ({
  type: 'FieldValueTypeInvalid',
  path,
  value,
  detail,
});

export const required = (path: string, detail = ''): FieldError => ({ type: 'FieldValueRequired', path, detail });

export const duplicate = (path: string, value: JsonValue): FieldError => ({
  type: 'FieldValueDuplicate',
  path,
  value,
  detail: '',
});

export const forbidden = (path: string, detail: string): FieldError => ({ type: 'FieldValueForbidden', path, detail });

export const notFound = (path: string, value: JsonValue): FieldError => ({
  type: 'FieldValueNotFound',
  path,
  value,
  detail: '',
});

export const internalError = (path: string, detail: string): FieldError => ({ type: 'InternalError', path, detail });

export function notSupported(path: string, value: JsonValue, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`;
  return { type: 'FieldValueNotSupported', path, value, detail };
}

/** `unit` is the real message's word, even where characters are counted. */
export function tooLong(path: string, max: number): FieldError {
  return {
    type: 'FieldValueTooLong',
    path,
    detail: max < 0 ? 'value is too long' : `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`,
  };
}

/** An unknown `actual` is left out of the message. */
export function tooMany(path: string, actual: number | undefined, max: number): FieldError {
  const detail = max < 0 ? 'has too many items' : `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return { type: 'FieldValueTooMany', path, ...(actual === undefined ? {} : { value: actual }), detail };
}
