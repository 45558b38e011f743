import { isTerminating } from '@hawser/client';
import { type Dialect, isWithdrawnByNamespace, resourceGroupName } from '@hawser/kube-bind';
import { claimedBy, isInForce, offersOf } from './export-object.js';
import type { ObservedConsumer } from './observed.js';
import { namespaceAccessOf } from './namespace-access.js';
import { type Reach, reachOf } from './reach.js';

/** Input of a consumer's view. */
export type Viewed = Pick<
  ObservedConsumer,
  'clusterNamespace' | 'namespace' | 'prefixSharedWith' | 'exports' | 'boundSchemas' | 'serviceNamespaces' | 'policy'
>;

/** Objects that one consumer may see on the provider, besides its cluster namespace. */
export interface ConsumerView {
  /** By `<resource>.<group>` of its exports' offers. The consumer owns an object that any of these reaches. */
  readonly resources: ReadonlyMap<string, readonly Reach[]>;
  /** `<resource>.<group>` of its exports' claims, in each of `claimNamespaces`. */
  readonly claims: ReadonlySet<string>;
  /** Its service namespaces where no claimed object can be another consumer's. */
  readonly claimNamespaces: ReadonlySet<string>;
}

const nothing: ConsumerView = { resources: new Map(), claims: new Set(), claimNamespaces: new Set() };

/**
 * Computes the view from facts that no consumer writes, like the rights: exports in force, BoundSchemas and namespaces.
 * Pure.
 */
export function consumerView(dialect: Dialect, observed: Viewed): ConsumerView {
  const { namespace, exports, boundSchemas } = observed;
  if (namespace === undefined || isTerminating(namespace)) return nothing;
  const access = namespaceAccessOf(dialect, observed);
  const resources = new Map<string, Reach[]>();
  const claims = new Set<string>();
  for (const found of exports) {
    if (!isInForce(found) || isWithdrawnByNamespace(namespace, found.metadata.name)) continue;
    for (const offer of offersOf(found, boundSchemas)) {
      const reach = reachOf(dialect, observed, access, offer);
      if (reach.kind === 'nowhere') continue;
      const name = resourceGroupName(offer.resource);
      resources.set(name, [...(resources.get(name) ?? []), reach]);
    }
    for (const resource of claimedBy(found)) claims.add(resourceGroupName(resource));
  }
  return { resources, claims, claimNamespaces: new Set(access.undivided) };
}
