import type { JsonValue } from '@hawser/json';
import type { FieldError } from './field-error.js';
import { invalid, required } from './field-errors.js';
import { childPath, indexPath, keyPath } from './field-path.js';
import { dns1035LabelErrors, pathSegmentErrors, pathSegmentPrefixErrors } from './names.js';
import { decodeObjectMeta, salvageObjectMeta } from './object-meta.js';
import { validateObjectMeta } from './object-meta-validation.js';
import { type MutableObject, deleteOwn, getOwn, isObject, setOwn } from './own.js';
import type { StructuralSchema } from './structural-schema.js';

export interface CoerceOptions {
  /** Drop invalid parts, as the API server does on reads from storage. Default: the first one is an error. */
  readonly dropInvalid?: boolean | undefined;
  /** Place of the value. Default: it is the object itself. */
  readonly path?: string | undefined;
}

/** The API server's findings before it checks the schema. */
export interface Coerced {
  /** Sorted: `spec.template.metadata.foo`. */
  readonly unknownFields: readonly string[];
  readonly error: FieldError | undefined;
}

/**
 * Converts, in place, `apiVersion`, `kind` and `metadata` of embedded resources to the API server's stored form: drops
 * unknown and empty fields of `metadata`, and converts times to UTC. With `isResourceRoot` also those of the object
 * itself.
 */
export function coerceMetadata(
  object: JsonValue,
  schema: StructuralSchema | undefined,
  isResourceRoot: boolean,
  options: CoerceOptions = {},
): Coerced {
  const unknownFields: string[] = [];
  const error = coerce(
    object,
    schema,
    isResourceRoot || schema?.embeddedResource === true,
    options.path ?? '',
    options.dropInvalid ?? false,
    unknownFields,
  );
  return { unknownFields: unknownFields.sort(), error };
}

function coerce(
  value: JsonValue | undefined,
  schema: StructuralSchema | undefined,
  isResource: boolean,
  path: string,
  dropInvalid: boolean,
  unknownFields: string[],
): FieldError | undefined {
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly JsonValue[]).entries()) {
      const error = coerceBelow(item, schema?.items, indexPath(path, index), dropInvalid, unknownFields);
      if (error !== undefined) return error;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  for (const key of Object.keys(value)) {
    const error = isResource ? coerceMetaField(value, key, path, dropInvalid, unknownFields) : undefined;
    if (error !== undefined) return error;
    const property = schema?.properties.get(key);
    const additional = typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    const below = coerceBelow(
      value[key],
      property ?? additional,
      property === undefined ? keyPath(path, key) : childPath(path, key),
      dropInvalid,
      unknownFields,
    );
    if (below !== undefined) return below;
  }
  return undefined;
}

function coerceBelow(
  value: JsonValue | undefined,
  schema: StructuralSchema | undefined,
  path: string,
  dropInvalid: boolean,
  unknownFields: string[],
): FieldError | undefined {
  if (schema?.features.embeddedResources !== true) return undefined;
  return coerce(value, schema, schema.embeddedResource, path, dropInvalid, unknownFields);
}

function coerceMetaField(
  object: MutableObject,
  key: string,
  path: string,
  dropInvalid: boolean,
  unknownFields: string[],
): FieldError | undefined {
  const value = object[key] ?? null;
  if (key === 'apiVersion' || key === 'kind') {
    if (typeof value === 'string') return undefined;
    if (!dropInvalid) return invalid(childPath(path, key), value, 'must be a string');
    deleteOwn(object, key);
    return undefined;
  }
  if (key !== 'metadata') return undefined;
  const decoded = decodeObjectMeta(value);
  if (!decoded.ok && !dropInvalid) return invalid(childPath(path, 'metadata'), value, decoded.error);
  const kept = decoded.ok ? decoded : salvageObjectMeta(value);
  if (kept === undefined) return undefined;
  setOwn(object, 'metadata', kept.metadata);
  unknownFields.push(...kept.unknownFields.map((field) => childPath(childPath(path, 'metadata'), field)));
  return undefined;
}

/** Problems of embedded resources. Does not check the object itself. */
export function validateEmbeddedResources(
  value: JsonValue | undefined,
  schema: StructuralSchema | undefined,
  path = '',
): FieldError[] {
  if (schema?.features.embeddedResources !== true) return [];
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).flatMap((item, index) =>
      validateEmbeddedResources(item, schema.items, indexPath(path, index)),
    );
  if (!isObject(value)) return [];
  const errors = schema.embeddedResource ? resourceErrors(value, path) : [];
  for (const key of Object.keys(value)) {
    const property = schema.properties.get(key);
    if (property !== undefined) errors.push(...validateEmbeddedResources(value[key], property, childPath(path, key)));
    else if (typeof schema.additionalProperties === 'object')
      errors.push(...validateEmbeddedResources(value[key], schema.additionalProperties, keyPath(path, key)));
  }
  return errors;
}

function resourceErrors(resource: MutableObject, path: string): FieldError[] {
  return [
    ...typeErrors(resource, 'apiVersion', path, apiVersionErrors),
    ...typeErrors(resource, 'kind', path, kindErrors),
    ...metadataErrors(resource, path),
  ];
}

function typeErrors(
  resource: MutableObject,
  key: string,
  path: string,
  rule: (value: string) => string[],
): FieldError[] {
  const at = childPath(path, key);
  const value = getOwn(resource, key);
  if (value === undefined) return [required(at)];
  if (typeof value !== 'string') return [invalid(at, value, 'must be a string')];
  return (value === '' ? ['must not be empty'] : rule(value)).map((detail) => invalid(at, value, detail));
}

const apiVersionErrors = (apiVersion: string): string[] =>
  apiVersion !== '/' && apiVersion.split('/').length > 2 ? [`unexpected GroupVersion string: ${apiVersion}`] : [];

function kindErrors(kind: string): string[] {
  const errors = dns1035LabelErrors(kind.toLowerCase());
  return errors.length === 0 ? [] : [`may have mixed case, but should otherwise match: ${errors.join(',')}`];
}

function metadataErrors(resource: MutableObject, path: string): FieldError[] {
  const value = getOwn(resource, 'metadata');
  if (value === undefined) return [];
  const at = childPath(path, 'metadata');
  const decoded = decodeObjectMeta(value);
  if (!decoded.ok) return [invalid(at, value, decoded.error)];
  const { metadata } = decoded;
  // An embedded resource needs no name.
  const named = metadata['name'] === undefined ? { ...metadata, name: 'fakename' } : metadata;
  return validateObjectMeta(
    named,
    { namespaced: metadata['namespace'] !== undefined, name: pathSegmentErrors, namePrefix: pathSegmentPrefixErrors },
    at,
  );
}
