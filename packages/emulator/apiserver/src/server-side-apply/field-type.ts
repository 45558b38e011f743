import type { JsonValue } from '@hawser/json';

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

/**
 * Allowed values, and the granularity of field ownership. More than one of the three is set if the schema leaves it
 * open.
 */
export interface FieldType {
  readonly scalar?: ScalarType;
  readonly list?: ListType;
  readonly map?: MapType;
}

export interface ListType {
  /** `atomic`: owned as a whole. `associative`: a set, or a map with keys, whose items are owned one by one. */
  readonly relationship: 'atomic' | 'associative';
  /** Fields that identify the items. Empty for a set. */
  readonly keys: readonly string[];
  readonly items: FieldType;
}

export interface MapType {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, MapField>;
  /** The type of undeclared keys. Absent if none are allowed. */
  readonly others?: FieldType;
}

export interface MapField {
  readonly type: FieldType;
  /** Replaces a missing key of a list item. */
  readonly default?: JsonValue;
  /** Value that Go's type holds and compares for an unset field of a built-in object. */
  readonly zero?: JsonValue;
}

/** Free form, owned as a whole. */
export const untypedAtomic: FieldType = recursive((self) => ({
  scalar: 'untyped',
  list: { relationship: 'atomic', keys: [], items: self },
  map: { atomic: true, fields: new Map(), others: self },
}));

/** Free form: maps are owned key by key, lists as a whole. The meaning of `x-kubernetes-preserve-unknown-fields`. */
export const untypedDeduced: FieldType = recursive((self) => ({
  scalar: 'untyped',
  list: { relationship: 'atomic', keys: [], items: untypedAtomic },
  map: { atomic: false, fields: new Map(), others: self },
}));

function recursive(define: (self: FieldType) => FieldType): FieldType {
  const self: FieldType = {};
  return Object.assign(self, define(self));
}

/** The type of one key of a map; `undefined` if the map forbids it. */
export function typeOfKey(map: MapType, key: string): FieldType | undefined {
  return map.fields.get(key)?.type ?? map.others;
}

/** Whether a map is free form: nothing declared, anything allowed. */
export function isUntypedMap(map: MapType): boolean {
  const { others } = map;
  return (
    map.fields.size === 0 &&
    others !== undefined &&
    (others === untypedDeduced || (others !== untypedAtomic && others.scalar === 'untyped'))
  );
}

export type Shape = 'scalar' | 'list' | 'map';

/**
 * The shape to treat a value as. `undefined`: the type leaves it open and the value does not decide (absent, or of none
 * of its shapes).
 */
export function shapeOf(type: FieldType, value: JsonValue | undefined): Shape | undefined {
  const shape =
    value === undefined || value === null
      ? undefined
      : Array.isArray(value)
        ? 'list'
        : typeof value === 'object'
          ? 'map'
          : 'scalar';
  return shape !== undefined && type[shape] !== undefined ? shape : undefined;
}

/** The first of a type's shapes, if the value does not decide. */
export function defaultShape(type: FieldType): Shape | undefined {
  if (type.map !== undefined) return 'map';
  if (type.scalar !== undefined) return 'scalar';
  return type.list === undefined ? undefined : 'list';
}
