import { equal, type JsonValue } from '@hawser/json';
import type { JsonSchemaProps } from '@hawser/schema';
import { isJsonArray, isJsonObject } from './json.js';
import { MapList } from './map-list.js';

/**
 * A value and its former version: decides whether an old fault is forgiven (`apiserver/pkg/cel/common/equality.go`).
 */
export class CorrelatedValue {
  #mapList: MapList | undefined;

  constructor(
    private readonly value: JsonValue,
    private readonly oldValue: JsonValue,
    private readonly schema: JsonSchemaProps,
  ) {}

  /** The same for a property, if it existed before and the schema knows it. */
  key(property: string): CorrelatedValue | undefined {
    if (!isJsonObject(this.value) || !isJsonObject(this.oldValue)) {
      return undefined;
    }
    const [value, oldValue] = [this.value[property], this.oldValue[property]];
    const additional = this.schema.additionalProperties;
    const schema = this.schema.properties?.[property] ?? (typeof additional === 'object' ? additional : undefined);
    return value === undefined || oldValue === undefined || schema === undefined
      ? undefined
      : new CorrelatedValue(value, oldValue, schema);
  }

  /** The same for an item, if its list has keys and the item existed before. */
  index(index: number): CorrelatedValue | undefined {
    const item = isJsonArray(this.value) ? this.value[index] : undefined;
    if (item === undefined || this.schema.items === undefined) {
      return undefined;
    }
    this.#mapList ??= new MapList(this.schema, this.oldValue);
    const oldItem = this.#mapList.get(item);
    return oldItem === undefined ? undefined : new CorrelatedValue(item, oldItem, this.schema.items);
  }

  /** Whether nothing changed. Fields outside the schema count as changed; the order of a keyed list does not. */
  isUnchanged(): boolean {
    if (isJsonArray(this.value)) {
      return (
        isJsonArray(this.oldValue) &&
        this.value.length === this.oldValue.length &&
        this.#itemsUnchanged(this.value, this.oldValue)
      );
    }
    if (isJsonObject(this.value)) {
      return isJsonObject(this.oldValue) && this.#propertiesUnchanged(this.value, this.oldValue);
    }
    return equal(this.value, this.oldValue);
  }

  #itemsUnchanged(value: readonly JsonValue[], oldValue: JsonValue): boolean {
    if (this.schema['x-kubernetes-list-type'] !== 'map') {
      return equal(value, oldValue);
    }
    return value.every((_, index) => this.index(index)?.isUnchanged() ?? false);
  }

  #propertiesUnchanged(value: object, oldValue: object): boolean {
    const properties = Object.keys(value);
    return (
      properties.length === Object.keys(oldValue).length &&
      properties.every((property) => this.key(property)?.isUnchanged() ?? false)
    );
  }
}

/** Old counterpart of the current value: its former version, or the nearest comparable parent. */
export interface Correlation {
  readonly current: CorrelatedValue | undefined;
  readonly nearestParent: CorrelatedValue | undefined;
}

export const uncorrelated: Correlation = { current: undefined, nearestParent: undefined };

export const correlateKey = (correlation: Correlation, property: string): Correlation => {
  if (correlation.current === undefined) {
    return correlation;
  }
  if (correlation.nearestParent === undefined && (property === 'apiVersion' || property === 'kind')) {
    return uncorrelated;
  }
  return { current: correlation.current.key(property), nearestParent: correlation.current };
};

export const correlateIndex = (correlation: Correlation, index: number): Correlation =>
  correlation.current === undefined
    ? correlation
    : { current: correlation.current.index(index), nearestParent: correlation.current };

/** Whether a fault existed before and the value has not changed since. */
export const isForgiven = ({ current, nearestParent }: Correlation): boolean =>
  (current ?? nearestParent)?.isUnchanged() ?? false;
