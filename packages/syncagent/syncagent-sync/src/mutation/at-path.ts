import { PathError, remove, set } from '@hawser/gjson';
import type { JsonValue } from '@hawser/json';
import { MutationError } from './mutation-error.js';

/** Like {@link set}, with errors that name the failed step. */
export const setAt = (field: string, document: JsonValue, path: string, value: JsonValue): JsonValue =>
  explained(field, () => set(document, path, value));

/** Like {@link remove}, with errors that name the failed step. */
export const removeAt = (field: string, document: JsonValue, path: string): JsonValue =>
  explained(field, () => remove(document, path));

function explained(field: string, change: () => JsonValue): JsonValue {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    throw new MutationError(field, error.message, { cause: error });
  }
}
