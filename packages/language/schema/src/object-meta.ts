import { type JsonValue, canonical } from '@hawser/json';
import { isInt64 } from './number-kind.js';
import { type MutableObject, isObject, setOwn } from './own.js';
import { parseTime } from './rfc3339.js';

/** `metadata` as the API server's own type holds it: without unknown and empty fields. */
export type DecodedMetadata =
  | {
      readonly ok: true;
      readonly metadata: MutableObject;
      /** Below `metadata`, sorted: `foo`, `ownerReferences[0].bar`. */ readonly unknownFields: readonly string[];
    }
  | { readonly ok: false; readonly error: string };

type GoType =
  | { readonly kind: 'string'; readonly name: string }
  | { readonly kind: 'bool' | 'int64' | 'time' | 'raw' }
  | { readonly kind: 'strings'; readonly name: 'map[string]string' | '[]string' }
  | { readonly kind: 'structs'; readonly struct: GoStruct };

interface GoStruct {
  readonly name: string;
  readonly fields: Readonly<Record<string, GoField>>;
  /** Fields that are written even if absent. */
  readonly always: readonly string[];
}

interface GoField {
  readonly type: GoType;
  /** `empty`: omitted if zero in Go. `never`: always written. `absent`: a pointer. */
  readonly omit: 'empty' | 'absent' | 'never';
}

const TEXT: GoType = { kind: 'string', name: 'string' };
const UID: GoType = { kind: 'string', name: 'types.UID' };

const OWNER_REFERENCE: GoStruct = {
  name: 'OwnerReference',
  fields: {
    apiVersion: { type: TEXT, omit: 'never' },
    kind: { type: TEXT, omit: 'never' },
    name: { type: TEXT, omit: 'never' },
    uid: { type: UID, omit: 'never' },
    controller: { type: { kind: 'bool' }, omit: 'absent' },
    blockOwnerDeletion: { type: { kind: 'bool' }, omit: 'absent' },
  },
  always: ['apiVersion', 'kind', 'name', 'uid'],
};

const MANAGED_FIELDS_ENTRY: GoStruct = {
  name: 'ManagedFieldsEntry',
  fields: {
    manager: { type: TEXT, omit: 'empty' },
    operation: { type: { kind: 'string', name: 'v1.ManagedFieldsOperationType' }, omit: 'empty' },
    apiVersion: { type: TEXT, omit: 'empty' },
    time: { type: { kind: 'time' }, omit: 'absent' },
    fieldsType: { type: TEXT, omit: 'empty' },
    fieldsV1: { type: { kind: 'raw' }, omit: 'absent' },
    subresource: { type: TEXT, omit: 'empty' },
  },
  always: [],
};

const OBJECT_META: GoStruct = {
  name: 'ObjectMeta',
  fields: {
    name: { type: TEXT, omit: 'empty' },
    generateName: { type: TEXT, omit: 'empty' },
    namespace: { type: TEXT, omit: 'empty' },
    selfLink: { type: TEXT, omit: 'empty' },
    uid: { type: UID, omit: 'empty' },
    resourceVersion: { type: TEXT, omit: 'empty' },
    generation: { type: { kind: 'int64' }, omit: 'empty' },
    creationTimestamp: { type: { kind: 'time' }, omit: 'absent' },
    deletionTimestamp: { type: { kind: 'time' }, omit: 'absent' },
    deletionGracePeriodSeconds: { type: { kind: 'int64' }, omit: 'absent' },
    labels: { type: { kind: 'strings', name: 'map[string]string' }, omit: 'empty' },
    annotations: { type: { kind: 'strings', name: 'map[string]string' }, omit: 'empty' },
    ownerReferences: { type: { kind: 'structs', struct: OWNER_REFERENCE }, omit: 'empty' },
    finalizers: { type: { kind: 'strings', name: '[]string' }, omit: 'empty' },
    managedFields: { type: { kind: 'structs', struct: MANAGED_FIELDS_ENTRY }, omit: 'empty' },
  },
  always: [],
};

/** Decodes `metadata` like Go; the error is that of the first invalid field. Does not change the argument. */
export function decodeObjectMeta(metadata: JsonValue): DecodedMetadata {
  const decoder = new Decoder();
  try {
    if (metadata === null) return { ok: true, metadata: {}, unknownFields: [] };
    if (!isObject(metadata))
      return {
        ok: false,
        error: `json: cannot unmarshal ${goValueName(metadata)} into Go value of type v1.ObjectMeta`,
      };
    const decoded = decoder.struct(metadata, OBJECT_META, '', '');
    return decoder.error === undefined
      ? { ok: true, metadata: decoded, unknownFields: decoder.unknownFields.sort() }
      : { ok: false, error: decoder.error };
  } catch (error) {
    if (error instanceof MalformedTime) return { ok: false, error: error.message };
    throw error;
  }
}

/** {@link decodeObjectMeta} that drops invalid parts. `undefined` if metadata is not an object. */
export function salvageObjectMeta(
  metadata: JsonValue,
): { readonly metadata: MutableObject; readonly unknownFields: readonly string[] } | undefined {
  const decoded = decodeObjectMeta(metadata);
  if (decoded.ok) return decoded;
  if (!isObject(metadata)) return undefined;
  const salvaged: MutableObject = {};
  const unknownFields: string[] = [];
  for (const key of Object.keys(metadata)) {
    const field = decodeObjectMeta({ [key]: metadata[key] });
    if (!field.ok) continue;
    Object.assign(salvaged, field.metadata);
    unknownFields.push(...field.unknownFields);
  }
  return { metadata: salvaged, unknownFields: unknownFields.sort() };
}

/** Stored objects of an API server are already sorted. */
function sortedKeys(object: object): readonly string[] {
  const keys = Object.keys(object);
  for (let index = 1; index < keys.length; index++)
    if ((keys[index - 1] ?? '') > (keys[index] ?? '')) return keys.sort();
  return keys;
}

/** A malformed time ends the decoding; a wrong type does not. */
class MalformedTime extends Error {}

class Decoder {
  readonly unknownFields: string[] = [];
  error: string | undefined;

  /** `names` is Go's error path, `path` the field's path with indexes. */
  struct(object: MutableObject, struct: GoStruct, names: string, path: string): MutableObject {
    const decoded: MutableObject = {};
    for (const key of sortedKeys(object)) {
      const value = object[key];
      const field = Object.hasOwn(struct.fields, key) ? struct.fields[key] : undefined;
      if (field === undefined) this.unknownFields.push(`${path}${key}`);
      else if (value !== undefined && value !== null) {
        const read = this.#value(value, field.type, {
          struct: struct.name,
          names: `${names}${key}`,
          path: `${path}${key}`,
        });
        if (read !== undefined && !(field.omit === 'empty' && isEmpty(read))) setOwn(decoded, key, read);
      }
    }
    for (const key of struct.always) if (!Object.hasOwn(decoded, key)) setOwn(decoded, key, '');
    return decoded;
  }

  #value(value: JsonValue, type: GoType, at: GoFieldPath): JsonValue | undefined {
    switch (type.kind) {
      case 'string':
        return typeof value === 'string' ? value : this.#mismatch(value, type.name, at);
      case 'bool':
        return typeof value === 'boolean' ? value : this.#mismatch(value, 'bool', at);
      case 'int64':
        return isInt64(value) ? value : this.#mismatch(value, 'int64', at);
      case 'raw':
        return value;
      case 'time':
        return this.#time(value, at);
      case 'strings':
        return type.name === '[]string' ? this.#stringList(value, at) : this.#stringMap(value, at);
      case 'structs':
        return this.#structs(value, type.struct, at);
    }
  }

  #time(value: JsonValue, at: GoFieldPath): JsonValue {
    if (typeof value !== 'string') throw new MalformedTime(mismatch(value, 'string', at));
    const parsed = parseTime(value);
    if (!parsed.ok) throw new MalformedTime(parsed.error);
    return parsed.time;
  }

  #stringList(value: JsonValue, at: GoFieldPath): JsonValue | undefined {
    if (!Array.isArray(value)) return this.#mismatch(value, '[]string', at);
    return (value as readonly JsonValue[]).map((item) => this.#stringOrNull(item, at));
  }

  #stringMap(value: JsonValue, at: GoFieldPath): JsonValue | undefined {
    if (!isObject(value)) return this.#mismatch(value, 'map[string]string', at);
    const strings: MutableObject = {};
    for (const key of sortedKeys(value)) setOwn(strings, key, this.#stringOrNull(value[key] ?? null, at));
    return strings;
  }

  #stringOrNull(value: JsonValue, at: GoFieldPath): string {
    if (typeof value === 'string') return value;
    if (value !== null) this.#mismatch(value, 'string', at);
    return '';
  }

  #structs(value: JsonValue, struct: GoStruct, at: GoFieldPath): JsonValue | undefined {
    if (!Array.isArray(value)) return this.#mismatch(value, `[]v1.${struct.name}`, at);
    return (value as readonly JsonValue[]).map((item, index) => {
      if (!isObject(item) && item !== null) this.#mismatch(item, `v1.${struct.name}`, at);
      return this.struct(isObject(item) ? item : {}, struct, `${at.names}.`, `${at.path}[${index}].`);
    });
  }

  #mismatch(value: JsonValue, type: string, at: GoFieldPath): JsonValue | undefined {
    this.error ??= mismatch(value, type, at);
    return undefined;
  }
}

interface GoFieldPath {
  readonly struct: string;
  readonly names: string;
  readonly path: string;
}

function mismatch(value: JsonValue, type: string, at: GoFieldPath): string {
  const number = typeof value === 'number' || typeof value === 'bigint';
  const name = number && type === 'int64' ? `number ${canonical(value)}` : goValueName(value);
  return `json: cannot unmarshal ${name} into Go struct field ${at.struct}.${at.names} of type ${type}`;
}

function goValueName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

function isEmpty(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === '' || value === 0;
}
