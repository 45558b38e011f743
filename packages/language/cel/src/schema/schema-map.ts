import { equal as equalJson, type JsonObject, type JsonValue } from '@hawser/json';
import type { JsonSchemaProps } from '@hawser/schema';
import { equal } from '../values/equal.js';
import { noSuchOverload } from '../values/error.js';
import { isMap, type MapValue, type Value } from '../values/value.js';
import { escape, unescape } from './escape.js';
import { withObjectMeta } from './object-meta.js';
import type { Convert } from './schema-list.js';

/** An object inside the object: with fields, or a map from strings to values of one schema. */
export class SchemaMap implements MapValue {
  readonly kind = 'map';
  readonly #values = new Map<string, Value>();
  readonly #properties: Readonly<Record<string, JsonSchemaProps>> | undefined;
  readonly #additional: JsonSchemaProps | undefined;

  constructor(
    private readonly source: JsonObject,
    schema: JsonSchemaProps,
    private readonly convert: Convert,
  ) {
    const full = schema['x-kubernetes-embedded-resource'] === true ? withObjectMeta(schema) : schema;
    this.#properties = full.properties;
    this.#additional =
      full.properties === undefined && typeof full.additionalProperties === 'object'
        ? full.additionalProperties
        : undefined;
  }

  get size(): number {
    return Object.values(this.source).filter((value) => value !== undefined).length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') {
      throw noSuchOverload();
    }
    const property = this.#properties === undefined ? key : unescape(key);
    return property === undefined ? undefined : this.#get(property);
  }

  *keys(): Iterable<Value> {
    for (const property of Object.keys(this.source)) {
      if (this.#schemaOf(property) !== undefined) {
        yield this.#properties === undefined ? property : (escape(property) ?? property);
      }
    }
  }

  equals(other: Value): boolean {
    if (!isMap(other)) {
      throw noSuchOverload();
    }
    return (
      this.size === other.size &&
      Object.entries(this.source).every(
        ([property, value]) => value === undefined || this.#propertyEquals(property, value, other),
      )
    );
  }

  #propertyEquals(property: string, value: JsonValue, other: MapValue): boolean {
    if (this.#schemaOf(property) !== undefined) {
      const [mine, theirs] = [this.find(property), other.find(property)];
      return mine === undefined || theirs === undefined ? mine === theirs : equal(mine, theirs);
    }
    if (!(other instanceof SchemaMap)) {
      throw noSuchOverload();
    }
    return !Object.hasOwn(other.source, property) || equalJson(value, other.source[property] ?? null);
  }

  #schemaOf(property: string): JsonSchemaProps | undefined {
    if (this.#properties !== undefined) {
      return Object.hasOwn(this.#properties, property) ? this.#properties[property] : undefined;
    }
    return this.#additional;
  }

  #get(property: string): Value | undefined {
    if (!Object.hasOwn(this.source, property)) {
      return undefined;
    }
    const schema = this.#schemaOf(property);
    const raw = this.source[property];
    if (schema === undefined || raw === undefined || (raw === null && this.#properties !== undefined)) {
      return undefined;
    }
    const known = this.#values.get(property);
    if (known !== undefined) {
      return known;
    }
    const value = this.convert(raw, schema);
    this.#values.set(property, value);
    return value;
  }
}
