import { metaOf, objectField, objectsField, stringField } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { base62, base62Sha224 } from './hash.js';
import { CLAIMED, EXPORT } from './names.js';
import { resourceOfClaim } from './kinds/claims.js';
import type { LogicalCluster } from './logical-cluster.js';
import { BINDINGS } from './kinds/types.js';

/** Where an APIBinding is. */
export interface BindingKey {
  readonly cluster: string;
  readonly name: string;
}

/** Form of an export in labels. */
export const exportHash = (cluster: string, name: string): string => base62Sha224(`${cluster}:${name}`);

/** Marks APIBindings themselves, whatever their claims. */
export const REFLEXIVE_CLAIM = base62(Uint8Array.from({ length: 28 }, (_, index) => index % 10));

/** Every write needs the hashes of stored claims. */
const claimHashes = new WeakMap<JsonObject, string>();

/** The label value for a claim: without its mutable fields. */
export function claimHash(claim: JsonObject): string {
  const known = claimHashes.get(claim);
  if (known !== undefined) return known;
  const { group, resource } = resourceOfClaim(claim);
  const identityHash = stringField(claim, 'identityHash');
  // Omits empty fields; verbs are always null.
  const text = `{${group === '' ? '' : `"group":${JSON.stringify(group)},`}"resource":${JSON.stringify(resource)},"verbs":null${identityHash === '' ? '' : `,"identityHash":${JSON.stringify(identityHash)}`}}`;
  const hash = base62Sha224(text);
  claimHashes.set(claim, hash);
  return hash;
}

export const claimLabel = (export_: string): string => `${CLAIMED}${export_}`;

export const exportOf = (binding: JsonObject): string => metaOf(binding).labels?.[EXPORT] ?? '';

export const referenceOf = (binding: JsonObject): { readonly path: string; readonly name: string } => {
  const reference = objectField(objectField(objectField(binding, 'spec'), 'reference'), 'export');
  return { path: stringField(reference, 'path'), name: stringField(reference, 'name') };
};

export const boundResourcesOf = (binding: JsonObject): readonly JsonObject[] =>
  objectsField(objectField(binding, 'status'), 'boundResources');

export const acceptedClaimsOf = (binding: JsonObject): readonly JsonObject[] =>
  objectsField(objectField(binding, 'spec'), 'permissionClaims').filter((claim) => claim['state'] === 'Accepted');

/** The bindings of a cluster to one export. */
export function bindingsIn(cluster: LogicalCluster, export_: string): readonly JsonObject[] {
  return cluster.objects.list(BINDINGS).filter((binding) => exportOf(binding) === export_);
}
