import { isTerminating } from '@hawser/client';
import {
  apiServiceNamespaceKey,
  type APIServiceNamespace,
  type Dialect,
  releasedBecause,
  type WithdrawnObjectsPolicy,
  withdrawnObjectsPolicyOf,
} from '@hawser/kube-bind';
import { ownerOf, type CopyNamespace } from './belonging.js';
import { type ExportObject, hasEnded, resourcesOf } from './export-object.js';
import type { EndReading, OwnerReading } from './observed.js';

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
 * Whether the owner must be read live: the cluster namespace is proven with the export, and a cluster-scoped copy has
 * none. Pure.
 */
export function needsProof(
  copyNamespace: CopyNamespace | undefined,
  clusterNamespace: string,
): copyNamespace is CopyNamespace {
  return copyNamespace !== undefined && copyNamespace.namespace !== clusterNamespace;
}

/** Whether a live read confirms the owner of a namespace. Pure. */
export function isProvenOwner(
  { owner }: OwnerReading,
  dialect: Dialect,
  clusterNamespace: string,
  copyNamespace: CopyNamespace | undefined,
): boolean {
  if (!needsProof(copyNamespace, clusterNamespace)) return true;
  if (owner === undefined) return false;
  const { namespace, consumerNamespace, isShared } = copyNamespace;
  if (isShared) return (owner as APIServiceNamespace).status?.namespace === namespace;
  return ownerOf(dialect, owner.metadata.annotations) === apiServiceNamespaceKey(clusterNamespace, consumerNamespace);
}
