/**
 * What {@link parse} returns. Integers that a double cannot hold exactly are `bigint`; all other numbers are `number`.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonArray | JsonObject;

export type JsonArray = readonly JsonValue[];

/** Keys are only keys: `__proto__` and `constructor` are own properties like any other. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Whether a value is an object, and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
