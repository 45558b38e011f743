import type { JsonValue } from '@hawser/json';
import type { FieldType, MapField } from './field-type.js';

/** Short forms for writing types. */
export const string: FieldType = { scalar: 'string' };
export const numeric: FieldType = { scalar: 'numeric' };
export const boolean: FieldType = { scalar: 'boolean' };
/** Times, quantities: any scalar. */
export const anyScalar: FieldType = { scalar: 'untyped' };

export const atomicList = (items: FieldType): FieldType => ({ list: { relationship: 'atomic', keys: [], items } });
export const setOf = (items: FieldType): FieldType => ({ list: { relationship: 'associative', keys: [], items } });
export const listBy = (keys: readonly string[], items: FieldType): FieldType => ({
  list: { relationship: 'associative', keys, items },
});
export const mapOf = (others: FieldType): FieldType => ({ map: { atomic: false, fields: new Map(), others } });

type Definition = Readonly<Record<string, FieldType | MapField>>;

export const struct = (fields: Definition): FieldType => ({ map: { atomic: false, fields: fieldsOf(fields) } });
export const atomicStruct = (fields: Definition): FieldType => ({ map: { atomic: true, fields: fieldsOf(fields) } });

/** A field that Go's type holds even if unset. */
export const held = (type: FieldType, zero: JsonValue): MapField => ({ type, zero });

function fieldsOf(fields: Definition): ReadonlyMap<string, MapField> {
  return new Map(
    Object.entries(fields).map(([name, definition]) => [
      name,
      'type' in definition ? definition : { type: definition },
    ]),
  );
}
