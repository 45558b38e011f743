import { canonical, isObject, type JsonObject, type JsonValue, parse } from '@hawser/json';
import { compareTyped } from './comparison.js';
import { ownValue, withKey, without } from './entries.js';
import type { FieldSet } from './field-set.js';
import { fieldsOfValue } from './fields-of-value.js';
import { metadataOf, textOf } from './metadata.js';
import type { TypedObject } from './tracked-type.js';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** All annotations together, keys and values, in bytes. */
const annotationsLimit = 256 * 1024;

/**
 * Fields of client-side apply that are unchanged: kubectl may take them over by server-side apply without a conflict.
 */
export function allowedByLastApplied(live: TypedObject): FieldSet | undefined {
  const text = lastApplied(live.value);
  if (text === undefined) return undefined;
  const configuration = parseConfiguration(text);
  if (configuration === undefined || textOf(configuration, 'apiVersion') !== live.apiVersion) return undefined;
  const { added, modified, removed } = compareTyped(configuration, live.value, live.type);
  return fieldsOfValue(configuration, live.type).difference(modified).difference(added).difference(removed);
}

function parseConfiguration(text: string): JsonObject | undefined {
  try {
    const value = parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Updates the annotation of client-side apply, if there is one, to the configuration just applied. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  if (lastApplied(object) === undefined) return object;
  const annotations = metadataOf(object, 'annotations');
  const metadata = ownValue(object, 'metadata');
  if (!isObject(annotations) || !isObject(metadata)) return object;
  const written = withKey(annotations, annotation, `${canonical(withoutAnnotation(applied))}\n`);
  return withKey(
    object,
    'metadata',
    withKey(metadata, 'annotations', sizeOf(written) > annotationsLimit ? without(annotations, annotation) : written),
  );
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const metadata = ownValue(applied, 'metadata');
  const annotations = metadataOf(applied, 'annotations');
  return isObject(metadata) && isObject(annotations)
    ? withKey(applied, 'metadata', withKey(metadata, 'annotations', without(annotations, annotation)))
    : applied;
}

function lastApplied(object: JsonObject): string | undefined {
  const annotations = metadataOf(object, 'annotations');
  const value: JsonValue | undefined = isObject(annotations) ? ownValue(annotations, annotation) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function sizeOf(annotations: JsonObject): number {
  return Object.entries(annotations).reduce(
    (total, [key, value]) =>
      total + Buffer.byteLength(key) + (typeof value === 'string' ? Buffer.byteLength(value) : 0),
    0,
  );
}
