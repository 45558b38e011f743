import { isTerminating } from '@hawser/client';
import { type Dialect, isWithdrawnByNamespace, resourceGroupName } from '@hawser/kube-bind';
import { claimedBy, isInForce, offersOf } from './export-object.js';
import type { ObservedConsumer } from './observed.js';
import { placesOf } from './places.js';
import { type Reach, reachOf } from './reach.js';

/** What the view of a consumer depends on. */
export type Viewed = Pick<
  ObservedConsumer,
  'clusterNamespace' | 'namespace' | 'prefixSharedWith' | 'exports' | 'boundSchemas' | 'serviceNamespaces' | 'policy'
>;

/** What one consumer may see on the provider, beside its cluster namespace. */
export interface ConsumerView {
  /** By `<resource>.<group>` of what its exports offer. An object is the consumer's if one of them reaches it. */
  readonly resources: ReadonlyMap<string, readonly Reach[]>;
  /** `<resource>.<group>` of what its exports claim, in each of `claimNamespaces`. */
  readonly claims: ReadonlySet<string>;
  /** Its service namespaces in which nothing claimed can be another's. */
  readonly claimNamespaces: ReadonlySet<string>;
}

const nothing: ConsumerView = { resources: new Map(), claims: new Set(), claimNamespaces: new Set() };

/** Pure. Goes by the facts that rights go by: exports in force, BoundSchemas and namespaces, of which a consumer writes nothing. */
export function consumerView(dialect: Dialect, observed: Viewed): ConsumerView {
  const { namespace, exports, boundSchemas } = observed;
  if (namespace === undefined || isTerminating(namespace)) return nothing;
  const places = placesOf(dialect, observed);
  const resources = new Map<string, Reach[]>();
  const claims = new Set<string>();
  for (const found of exports) {
    if (!isInForce(found) || isWithdrawnByNamespace(namespace, found.metadata.name)) continue;
    for (const offer of offersOf(found, boundSchemas)) {
      const reach = reachOf(dialect, observed, places, offer);
      if (reach.kind === 'nowhere') continue;
      const name = resourceGroupName(offer.resource);
      resources.set(name, [...(resources.get(name) ?? []), reach]);
    }
    for (const resource of claimedBy(found)) claims.add(resourceGroupName(resource));
  }
  return { resources, claims, claimNamespaces: new Set(places.undivided) };
}
