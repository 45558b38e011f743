import { type MutableObject, deleteOwn, isObject } from './own.js';
import type { StructuralSchema } from './structural-schema.js';

const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Position of a walk, and the paths dropped so far. */
interface Pruning {
  readonly path: string[];
  readonly dropped: string[];
}

/**
 * Drops unknown fields, in place, and returns their sorted paths: `spec.foo`, `spec.list[0].bar`. At a resource's root,
 * and in embedded resources, keeps `apiVersion`, `kind` and `metadata`.
 */
export function prune(object: unknown, schema: StructuralSchema | undefined, isResourceRoot: boolean): string[] {
  const pruning: Pruning = { path: [], dropped: [] };
  pruneValue(object, schema, isResourceRoot || schema?.embeddedResource === true, pruning);
  return pruning.dropped.sort();
}

function pruneValue(value: unknown, schema: StructuralSchema | undefined, isResource: boolean, pruning: Pruning): void {
  const preserves = schema?.preserveUnknownFields === true;
  if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => {
      pruning.path.push(`[${index}]`);
      // A list that keeps unknown fields keeps them in its items too, unless they have a schema.
      if (preserves) pruneItemOfPreserving(item, schema.items, pruning);
      else pruneValue(item, schema?.items, schema?.items?.embeddedResource === true, pruning);
      pruning.path.pop();
    });
    return;
  }
  if (isObject(value)) pruneObject(value, schema, isResource, preserves, pruning);
}

function pruneItemOfPreserving(item: unknown, schema: StructuralSchema | undefined, pruning: Pruning): void {
  if (schema === undefined) return;
  if (isObject(item)) pruneObject(item, schema, schema.embeddedResource, true, pruning);
  else if (Array.isArray(item)) {
    item.forEach((inner: unknown, index) => {
      pruning.path.push(`[${index}]`);
      pruneItemOfPreserving(inner, schema.items, pruning);
      pruning.path.pop();
    });
  }
}

function pruneObject(
  object: MutableObject,
  schema: StructuralSchema | undefined,
  isResource: boolean,
  preserves: boolean,
  pruning: Pruning,
): void {
  for (const key of Object.keys(object)) {
    if (isResource && META_FIELDS.has(key)) continue;
    const property = schema?.properties.get(key);
    const additional = schema?.additionalProperties;
    if (property !== undefined) pruneField(object, key, property, pruning);
    else if (additional !== undefined)
      pruneField(object, key, typeof additional === 'object' ? additional : undefined, pruning);
    else if (!preserves) {
      // Silently drops type fields of a value that is not a resource.
      if (!META_FIELDS.has(key) || pruning.path.length > 0)
        pruning.dropped.push(`${pruning.path.join('')}${segmentOf(pruning, key)}`);
      deleteOwn(object, key);
    }
  }
}

function pruneField(object: MutableObject, key: string, schema: StructuralSchema | undefined, pruning: Pruning): void {
  const value = object[key];
  if (typeof value !== 'object' || value === null) return;
  pruning.path.push(segmentOf(pruning, key));
  pruneValue(value, schema, schema?.embeddedResource === true, pruning);
  pruning.path.pop();
}

const segmentOf = (pruning: Pruning, key: string): string => (pruning.path.length === 0 ? key : `.${key}`);
