import { createHash } from 'node:crypto';
import type { CRDSpec } from '@hawser/crd';
import { goArray, goRaw, goString, goStruct } from '@hawser/json';

/**
 * Value of the annotation `core.kbind.io/schema-hash`: `sha256:` and the first 16 hex digits of SHA-256 over the CRD's
 * spec as Go writes it (spec/kbind-v2.md §12.3). Keys inside versions keep their order: an API server answers in Go's.
 * A property whose name is a number comes first here, which costs one write when konnectors are swapped.
 */
export function schemaHash(spec: CRDSpec): string {
  const sum = createHash('sha256').update(encodeCRDSpec(spec), 'utf8').digest('hex');
  return `sha256:${sum.slice(0, 16)}`;
}

/** The spec as Go's encoder writes it. */
function encodeCRDSpec({ group, names, scope, versions, conversion, preserveUnknownFields }: CRDSpec): string {
  return goStruct([
    ['group', goString(group)],
    ['names', encode(names)],
    ['scope', goString(scope)],
    ['versions', goArray(versions, encode)],
    ['conversion', conversion === undefined ? undefined : encode(conversion)],
    ['preserveUnknownFields', preserveUnknownFields === true ? 'true' : undefined],
  ]);
}

/** Encodes a value, keys in their present order. */
function encode(value: unknown): string {
  if (Array.isArray(value)) return goArray(value, encode);
  if (typeof value === 'object' && value !== null)
    return goStruct(
      Object.entries(value).map(([key, field]) => [key, field === undefined ? undefined : encode(field)] as const),
    );
  return goRaw(value);
}
