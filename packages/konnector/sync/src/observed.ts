import type { ObjectKey, OwnerReference, UnstructuredObject } from '@hawser/client';

import type { Path } from './difference.js';
import type { Isolation, Placement } from './isolation.js';

/**
 * Whether an object's deletion is the user's wish. A deletion counts as the user's only if, read live after it was seen, the owning binding
 * and the bound CRD stand without deletionTimestamp.
 */
export type DeletionProof =
  | { readonly kind: 'byUser' }
  /** The binding is gone or going: the finalizer is released, the copy stays. */
  | { readonly kind: 'unbinding' }
  /** The CRD is going: its objects are deleted by the API server, not by a user. */
  | { readonly kind: 'crdTerminating' }
  /** The CRD belongs to somebody else by now. */
  | { readonly kind: 'crdForeign' };

/** What a live GET of the copy, managedFields included, showed about fields that nobody wants any more. */
export interface Inspection {
  /** For which wanted content, and for which extra fields, it was made. */
  readonly wantedHash: string;
  readonly extrasKey: string;
  /** Of the extra fields, those that only konnectors wrote. */
  readonly leftover: readonly Path[];
}

/** What is known of a pair beyond both caches. Kept only while it matters. */
export interface PairMemory {
  /** The uid of a copy that a live answer has shown to be gone, or `none` after a live 404. */
  readonly copyGone?: string | undefined;
  readonly inspection?: Inspection | undefined;
  /** What was written last, and the version that came of it. */
  readonly lastWrite?: { readonly wantedHash: string; readonly resourceVersion: string } | undefined;
  /** The provider's status (by the copy's uid and version) that the consumer's API server did not store as sent. */
  readonly statusRefused?: string | undefined;
  /** The uid of the consumer object whose deletion is proven to be the user's wish. */
  readonly deletedByUser?: string | undefined;
  /** How often the copy had to be put back to the same content of late. */
  readonly corrections?: number | undefined;
  /** The copy keeps drifting from the same wanted content: do not correct it before this time. */
  readonly correctNotBefore?: number | undefined;
}

/** One consumer object and its copy, as far as decisions need to know. A snapshot: nothing in it changes. */
export interface Observed {
  readonly consumerKey: ObjectKey;
  readonly consumer: UnstructuredObject | undefined;
  readonly placement: Placement;
  /** Undefined: not in the cache. Only meaningful if placed and `copyCacheReady`. */
  readonly copy: UnstructuredObject | undefined;
  /** False while the cache of the place where the copy belongs is not filled. */
  readonly copyCacheReady: boolean;
  readonly deletionProof: DeletionProof | undefined;
  readonly memory: PairMemory;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What does not change during the life of a sync. */
export interface PairSettings {
  readonly isolation: Isolation;
  readonly clusterNamespace: string;
  /** Owner of cluster-scoped copies under `None` and `Prefixed` (`spec/konnector.md §8`). */
  readonly clusterNamespaceUid: string;
  /** uid of the consumer cluster. */
  readonly consumerCluster: string;
  /** Whether the bound version has the status subresource. */
  readonly statusSubresource: boolean;
}

/** The owner reference of cluster-scoped copies, which disappear with the cluster namespace. */
export function clusterNamespaceOwner(settings: PairSettings): OwnerReference | undefined {
  switch (settings.isolation) {
    case 'None':
    case 'Prefixed':
      return { apiVersion: 'v1', kind: 'Namespace', name: settings.clusterNamespace, uid: settings.clusterNamespaceUid };
    case 'Namespaced':
    case 'ServiceNamespace':
      return undefined;
  }
}
