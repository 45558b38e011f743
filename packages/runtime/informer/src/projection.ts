import type { KubeObject } from '@hawser/client';
import { setOwn } from '@hawser/json';
import type { InformerSpec } from './informer.js';

/** Converts an object from the server to the one to keep. */
export type Projection = <T extends KubeObject>(object: T) => T;

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Limit of interned namespaces, which come and go. Clearing them now and then costs one copy each. */
const MOST_KNOWN = 10_000;

type Fields = Record<string, unknown>;

/**
 * Creates the projection of a spec. Rebuilds the object and its metadata key by key, without the dropped keys: deleting
 * keys would turn both into hash tables of twice the size. Reuses everything below as parsed, the smallest form
 * (measured: 2.35 kB against 2.67 kB for a deep copy and 3.85 kB as parsed). So do not change the argument afterwards.
 * Freezes the object and its metadata; freezing everything would cost 30 µs per object.
 */
export function createProjection(spec: Pick<InformerSpec, 'projection' | 'keepManagedFields'>): Projection {
  const metadataOnly = spec.projection === 'metadata';
  const keepManagedFields = spec.keepManagedFields === true;
  const known = new Map<string, string>();

  /** Keeps one copy of the strings that every object repeats. */
  const intern = (value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    const first = known.get(value);
    if (first !== undefined) return first;
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(value, value);
    return value;
  };

  const projectMetadata = (metadata: Fields): Fields => {
    const result: Fields = {};
    for (const key of Object.keys(metadata)) {
      const value = metadata[key];
      if (key === 'namespace') result[key] = intern(value);
      else if (keepManagedFields) setOwn(result, key, value);
      else if (key === 'annotations') setAnnotations(result, value);
      else if (key !== 'managedFields') setOwn(result, key, value);
    }
    return Object.freeze(result);
  };

  return <T extends KubeObject>(object: T): T => {
    const source = object as unknown as Fields;
    const result: Fields = {};
    for (const key of Object.keys(source)) {
      const value = source[key];
      if (key === 'apiVersion' || key === 'kind') result[key] = intern(value);
      else if (key === 'metadata') result[key] = projectMetadata(value as Fields);
      else if (!metadataOnly) setOwn(result, key, value);
    }
    return Object.freeze(result) as unknown as T;
  };
}

function setAnnotations(metadata: Fields, annotations: unknown): void {
  if (typeof annotations !== 'object' || annotations === null || !(LAST_APPLIED in annotations)) {
    metadata['annotations'] = annotations;
    return;
  }
  const result: Fields = {};
  let kept = 0;
  for (const [key, value] of Object.entries(annotations)) {
    if (key === LAST_APPLIED) continue;
    setOwn(result, key, value);
    kept++;
  }
  if (kept > 0) metadata['annotations'] = result;
}
