import type { KubeObject } from '@hawser/client';
import { isRecord } from '@hawser/crd';
import { canonical, parse } from '@hawser/json';
import type { PermissionClaim, V1alpha1PermissionClaim } from '../kinds/permission-claim.js';
import { isSameClaim } from '../kinds/permission-claim.js';
import { annotations } from '../metadata.js';
import { ConversionError } from './conversion-error.js';

/**
 * Reads a list from an annotation; undefined without the annotation.
 * @throws {ConversionError} if it is not a list of objects.
 */
export function listInAnnotation<T>(object: KubeObject, key: string): readonly T[] | undefined {
  const text = object.metadata.annotations?.[key];
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    throw new ConversionError('Annotation', `annotation ${key} is not JSON`, { cause });
  }
  if (value === null) return [];
  if (!Array.isArray(value) || !value.every(isRecord))
    throw new ConversionError('Annotation', `annotation ${key} is not a list of objects`);
  return value as unknown as readonly T[];
}

/** `object` with changed annotations; undefined removes one. Drops `annotations` once it is empty. */
export function withAnnotations<T extends KubeObject>(
  object: T,
  changes: Readonly<Record<string, string | undefined>>,
): T {
  const merged = Object.entries({ ...object.metadata.annotations, ...changes }).filter(
    ([, value]) => value !== undefined,
  );
  const rest = Object.entries(object.metadata).filter(([name]) => name !== 'annotations');
  return {
    ...object,
    metadata: Object.fromEntries(merged.length === 0 ? rest : [...rest, ['annotations', Object.fromEntries(merged)]]),
  };
}

/** A v1alpha1 claim as Go writes it: fields in order, empty ones left out. */
export function encodeV1alpha1Claims(claims: readonly V1alpha1PermissionClaim[]): string {
  return canonical(
    claims.map(({ group, resource, all, resourceSelector, identityHash, ...rest }) => ({
      group: group === '' ? undefined : group,
      resource,
      all: all === true ? true : undefined,
      resourceSelector: resourceSelector === undefined || resourceSelector.length === 0 ? undefined : resourceSelector,
      identityHash: identityHash === '' ? undefined : identityHash,
      ...rest,
    })),
    { sortKeys: false },
  );
}

/**
 * The annotation that lets a v1alpha2 export with `claims` be read and written as v1alpha1 (spec/api-syncagent.md
 * §3.1). Keeps what `previous` says of a claim; every other claim covers all objects. Undefined without claims.
 */
export function v1alpha1ClaimsAnnotation(claims: readonly PermissionClaim[], previous: KubeObject): string | undefined {
  if (claims.length === 0) return undefined;
  const known = listInAnnotation<V1alpha1PermissionClaim>(previous, annotations.v1alpha1PermissionClaims) ?? [];
  return encodeV1alpha1Claims(
    claims.map(({ group, resource, identityHash }) => {
      const before = known.find((claim) => isSameClaim(claim, { group, resource, identityHash }));
      if (before?.all === true || (before?.resourceSelector?.length ?? 0) > 0) return before as V1alpha1PermissionClaim;
      return { group, resource, all: true, identityHash };
    }),
  );
}
