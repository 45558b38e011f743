import { isTerminating } from '@hawser/client';
import {
  apiServiceNamespaceKey,
  type APIServiceNamespace,
  type Dialect,
  releasedBecause,
  type WithdrawnObjectsPolicy,
  withdrawnObjectsPolicyOf,
} from '@hawser/kube-bind';
import { ownerOf, type Place } from './belonging.js';
import { type ExportObject, hasEnded, resourcesOf } from './export-object.js';
import type { EndReading, PlaceReading } from './observed.js';

/**
 * Whether live reads prove all of this: this very export has ended, its policy deletes its copies, and no other export
 * of the consumer covers the resource. Pure.
 */
export function isProvenEnded(
  { namespace, exports }: EndReading,
  found: ExportObject,
  resource: string,
  provider: WithdrawnObjectsPolicy,
): boolean {
  // A terminating cluster namespace takes everything in it; that says nothing about the copies.
  if (namespace === undefined || isTerminating(namespace)) return false;
  const self = exports.find(({ metadata }) => metadata.uid === found.metadata.uid);
  if (self === undefined || !hasEnded(self) || releasedBecause(self.metadata) !== undefined) return false;
  if (withdrawnObjectsPolicyOf(self.metadata, provider).policy !== 'Delete') return false;
  return !exports.some((one) => !hasEnded(one) && resourcesOf(one).includes(resource));
}

/**
 * Whether the place must be read live: the cluster namespace is proven with the export, and a cluster-scoped copy has
 * none. Pure.
 */
export function needsProof(place: Place | undefined, clusterNamespace: string): place is Place {
  return place !== undefined && place.namespace !== clusterNamespace;
}

/** Whether a live read confirms the owner of a namespace. Pure. */
export function isProvenPlace(
  { says }: PlaceReading,
  dialect: Dialect,
  clusterNamespace: string,
  place: Place | undefined,
): boolean {
  if (!needsProof(place, clusterNamespace)) return true;
  if (says === undefined) return false;
  const { namespace, consumerNamespace, isShared } = place;
  if (isShared) return (says as APIServiceNamespace).status?.namespace === namespace;
  return ownerOf(dialect, says.metadata.annotations) === apiServiceNamespaceKey(clusterNamespace, consumerNamespace);
}
