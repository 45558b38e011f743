import { type KubeObject, type Resource, resourceName } from '@hawser/client';
import { isSelected } from '@hawser/rbac';

import type { Claim, Reference } from './claim.js';
import type { Marks, Side } from './marks.js';
import type { Named } from './references.js';

/** A claim with the current names from its references. */
export interface ResolvedClaim {
  readonly claim: Claim;
  readonly references: readonly ResolvedReference[];
}

export interface ResolvedReference {
  readonly reference: Reference;
  /** Whether a referring object names that object of the claimed resource. */
  readonly names: (namespace: string, name: string) => boolean;
}

/** Kubernetes' own objects there are claimed only by name and namespace; nothing comes in. */
const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set(['kube-system', 'kube-public', 'kube-node-lease']);
/** Each cluster creates these in every namespace. */
const OF_EVERY_NAMESPACE: ReadonlySet<string> = new Set([
  'configmaps/kube-root-ca.crt',
  'configmaps/openshift-service-ca.crt',
  'serviceaccounts/default',
]);

/** Names the bindings whose claims select an original on `side`. `namespace`: the consumer's. Pure. */
export function claimedBy(
  claims: readonly ResolvedClaim[],
  resource: Resource,
  side: Side,
  namespace: string,
  object: KubeObject,
): readonly string[] {
  if (OF_EVERY_NAMESPACE.has(`${resourceName(resource)}/${object.metadata.name}`)) return [];
  return [...new Set(claims.filter((one) => selects(one, side, namespace, object)).map(({ claim }) => claim.binding))];
}

function selects(
  { claim, references }: ResolvedClaim,
  side: Side,
  namespace: string,
  { metadata: { name, labels = {} } }: KubeObject,
): boolean {
  if (claim.owner !== undefined && claim.owner !== side) return false;
  if (claim.namespaces !== undefined && !claim.namespaces.includes(namespace)) return false;
  const byName = claim.named.some(
    (named) => named.name === name && (named.namespace === undefined || named.namespace === namespace),
  );
  if (SYSTEM_NAMESPACES.has(namespace))
    return side === 'consumer' && claim.named.some((named) => named.name === name && named.namespace === namespace);
  if (byName) return true;
  if (claim.labels !== undefined && isSelected(claim.labels, labels)) return true;
  return references.some(
    ({ reference, names }) => (side === 'provider' || !reference.providerWrites) && names(namespace, name),
  );
}

/** Whether a claim selects an object, or its marks show no ordinary original. `claimed`: {@link claimedBy}. */
export function concernsClaims(marks: Marks, side: Side, object: KubeObject, claimed: readonly string[]): boolean {
  return marks.roleOf(object, side) !== 'original' || marks.markedOwner(object) !== undefined || claimed.length > 0;
}

/** Key in a set of named objects. */
export const namedKey = ({ namespace = '*', name }: Named): string => `${namespace}/${name}`;

/** Whether `has` knows the object by its namespace, or by a name valid in every one. */
export function isNamed(has: (key: string) => boolean, namespace: string, name: string): boolean {
  return has(namedKey({ namespace, name })) || has(namedKey({ name }));
}
