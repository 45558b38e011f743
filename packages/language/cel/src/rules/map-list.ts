import type { JsonValue } from '@hawser/json';
import type { JsonSchemaProps } from '@hawser/schema';
import { isJsonArray, isJsonObject } from './json.js';

const scalarKey = (value: JsonValue | undefined): string | undefined =>
  value === undefined || (typeof value === 'object' && value !== null) || value === null
    ? undefined
    : `${typeof value === 'bigint' ? 'number' : typeof value}\u0000${value}`;

/** A list with keyed items (`x-kubernetes-list-type: map`). Finds no items in any other list. */
export class MapList {
  readonly #keys: readonly string[];
  readonly #items = new Map<string, JsonValue>();

  constructor(schema: JsonSchemaProps, items: JsonValue | undefined) {
    const isMap = schema.type === 'array' && schema['x-kubernetes-list-type'] === 'map';
    this.#keys = isMap ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
    for (const item of isJsonArray(items) && this.#keys.length > 0 ? items : []) {
      const key = this.#keyOf(item);
      if (key !== undefined && !this.#items.has(key)) {
        this.#items.set(key, item);
      }
    }
  }

  /** The item with the same keys. */
  get(item: JsonValue): JsonValue | undefined {
    const key = this.#keyOf(item);
    return key === undefined ? undefined : this.#items.get(key);
  }

  #keyOf(item: JsonValue): string | undefined {
    if (!isJsonObject(item)) {
      return undefined;
    }
    const parts = this.#keys.map((key) => scalarKey(item[key]));
    return parts.includes(undefined) ? undefined : parts.join('\u0001');
  }
}
