/** A JSON object with any keys. */
export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of an own key. Inherited properties (`constructor`, `__proto__`) are not part of a document. */
export function getOwn(object: Fields, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own key. An assignment to `__proto__` would set the prototype instead. */
export function setOwn(object: Fields, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}
