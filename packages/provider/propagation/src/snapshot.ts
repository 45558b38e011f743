import { gunzipSync, gzipSync } from 'node:zlib';
import { canonical, parse } from '@hawser/json';
import { type BoundSchemaSpec, schemaHash } from '@hawser/kube-bind';

/** All annotations of an object may have 256 KiB together. */
const longest = 200_000;
const largestBytes = 8_000_000;
const separator = '.';

/**
 * Encodes annotation `hawser.dev/previous-schema`: hash and schema. A schema beyond the limit is reduced to its hash.
 */
export function encodeSnapshot(hash: string, spec: BoundSchemaSpec): string {
  const text = gzipSync(canonical(spec), { level: 9 }).toString('base64');
  return `${hash}${separator}${text.length > longest ? '' : text}`;
}

/** Decodes a snapshot; undefined: there is no schema, or its hash differs. */
export function decodeSnapshot(
  text: string | undefined,
): { readonly hash: string; readonly spec: BoundSchemaSpec } | undefined {
  const [hash = '', data = ''] = (text ?? '').split(separator);
  if (data === '') return undefined;
  try {
    const spec = parse(
      gunzipSync(Buffer.from(data, 'base64'), { maxOutputLength: largestBytes }).toString('utf8'),
    ) as unknown as BoundSchemaSpec;
    return schemaHash(spec) === hash ? { hash, spec } : undefined;
  } catch {
    return undefined;
  }
}
