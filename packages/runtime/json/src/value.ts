/**
 * The result of {@link parse}. Integers that a double cannot hold exactly are `bigint`; all other numbers are `number`.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonArray | JsonObject;

export type JsonArray = readonly JsonValue[];

/** All keys are own properties, also `__proto__` and `constructor`. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Whether a value is an object and not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
