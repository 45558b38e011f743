import type { JsonValue } from '@hawser/json';

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

/** What a value may be, and at which grain its fields are owned. More than one of the three is set where the schema leaves it open. */
export interface FieldType {
  readonly scalar?: ScalarType;
  readonly list?: ListType;
  readonly map?: MapType;
}

export interface ListType {
  /** `atomic`: owned as a whole. `associative`: a set, or a map with keys, whose items are owned one by one. */
  readonly relationship: 'atomic' | 'associative';
  /** Fields that tell the items apart. Empty for a set. */
  readonly keys: readonly string[];
  readonly items: FieldType;
}

export interface MapType {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, MapField>;
  /** The type of keys that are no declared field. Absent where there may be none. */
  readonly others?: FieldType;
}

export interface MapField {
  readonly type: FieldType;
  /** Stands in for a key of a list item that is not written. */
  readonly default?: JsonValue;
  /** What Go's type holds, and compares, where a built-in object does not say anything. */
  readonly zero?: JsonValue;
}

/** Free form, owned as a whole. */
export const untypedAtomic: FieldType = recursive((self) => ({
  scalar: 'untyped',
  list: { relationship: 'atomic', keys: [], items: self },
  map: { atomic: true, fields: new Map(), others: self },
}));

/** Free form: maps are owned key by key, lists as a whole. What `x-kubernetes-preserve-unknown-fields` means. */
export const untypedDeduced: FieldType = recursive((self) => ({
  scalar: 'untyped',
  list: { relationship: 'atomic', keys: [], items: untypedAtomic },
  map: { atomic: false, fields: new Map(), others: self },
}));

function recursive(define: (self: FieldType) => FieldType): FieldType {
  const self: FieldType = {};
  return Object.assign(self, define(self));
}

/** The type of one key of a map; `undefined` where the map may not have it. */
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

/** As what a value is looked at. `undefined`: the type leaves it open and the value is no help (absent, or of none of its shapes). */
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

/** The first of a type's shapes, where a value does not tell. */
export function defaultShape(type: FieldType): Shape | undefined {
  if (type.map !== undefined) return 'map';
  if (type.scalar !== undefined) return 'scalar';
  return type.list === undefined ? undefined : 'list';
}
