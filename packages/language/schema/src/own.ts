import type { JsonValue } from '@hawser/json';

export { setOwn } from '@hawser/json';

/** An object that this package may change: keys with value `undefined` count as absent. */
export type MutableObject = Record<string, JsonValue | undefined>;

export function isObject(value: unknown): value is MutableObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of an own key. Inherited keys (`constructor`, `__proto__`) are not part of a document. */
export function getOwn(object: Readonly<MutableObject>, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function deleteOwn(object: MutableObject, key: string): void {
  Reflect.deleteProperty(object, key);
}
