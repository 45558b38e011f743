import type { GoNumber } from './go-number.js';
import type { GoObject } from './go-object.js';
import type { TemplateFunction } from '../template-function.js';

/**
 * A value in templates: parsed JSON, and what functions add to it.
 *
 * - `undefined` is a missing value, such as a missing key. `null` is the nil of an existing key.
 * - A plain `number` or `bigint` comes from JSON: an integer that fits is an int64, anything else a float64. Other
 * number types of Go are {@link GoNumber}.
 * - A string holds text; bytes that are not UTF-8 are lone surrogates (see `bytes.ts`) until the end of rendering.
 * - Arrays and objects are `[]interface {}` and `map[string]interface {}`, unless marked with another element type.
 */
export type GoValue =
  undefined | null | boolean | string | number | bigint | GoNumber | GoObject | GoList | GoMap | TemplateFunction;

export type GoList = readonly GoValue[];

export interface GoMap {
  readonly [key: string]: GoValue;
}
