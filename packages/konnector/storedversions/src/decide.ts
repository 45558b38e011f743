import type { Resource } from '@hawser/client';
import { type CustomResourceDefinition, storedResource } from '@hawser/kube-bind';

/** What to do about one bound CRD. */
export type Decision =
  | { readonly kind: 'nothing' }
  /** Its storage version has moved only now: another API server may still write the one before. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Objects may be stored in `old`; rewritten through `resource` they are in `storage`. */
  | { readonly kind: 'migrate'; readonly resource: Resource; readonly storage: string; readonly old: readonly string[] }
  /** No version is served, so objects can be neither read nor written. */
  | { readonly kind: 'unreachable'; readonly old: readonly string[] };

/** `sinceMs`: how long the CRD has been seen like this. Pure. */
export function decide(
  { metadata, spec, status }: CustomResourceDefinition,
  sinceMs: number,
  settleMs: number,
): Decision {
  const storage = spec.versions.find((version) => version.storage)?.name;
  const old = (status?.storedVersions ?? []).filter((version) => version !== storage);
  const established = (status?.conditions ?? []).some(
    (condition) => condition.type === 'Established' && condition.status === 'True',
  );
  if (metadata.deletionTimestamp !== undefined || storage === undefined || old.length === 0 || !established)
    return { kind: 'nothing' };
  if (sinceMs < settleMs) return { kind: 'wait', ms: settleMs - sinceMs };
  const resource = storedResource(spec);
  return resource === undefined ? { kind: 'unreachable', old } : { kind: 'migrate', resource, storage, old };
}
