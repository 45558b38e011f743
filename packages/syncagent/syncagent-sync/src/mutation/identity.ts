import { get } from '@hawser/gjson';
import { isObject, type JsonObject } from '@hawser/json';
import { MutationError } from './mutation-error.js';

/** Fields that identify an object. Its copy is found by them, so no step changes them. */
const identity = ['apiVersion', 'kind', 'metadata.name', 'metadata.namespace'];

export const isIdentity = (path: string): boolean => identity.includes(path);

/** The rewritten object with the identity of the original. */
export function keepIdentity(rewritten: JsonObject, original: JsonObject, field: string): JsonObject {
  if (identity.every((path) => get(rewritten, path).value === get(original, path).value)) return rewritten;
  const { metadata } = rewritten;
  if (!isObject(metadata)) throw new MutationError(field, 'the steps leave no metadata');
  const { apiVersion, kind } = original;
  const { name, namespace } = isObject(original['metadata']) ? original['metadata'] : {};
  return present({ ...rewritten, apiVersion, kind, metadata: present({ ...metadata, name, namespace }) });
}

const present = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
