import type { ObjectKey, OwnerReference, UnstructuredObject } from '@hawser/client';
import type { PairDialect } from '@hawser/kube-bind';

import type { BindingPolicy } from './binding-policy.js';
import type { Corrections } from './corrections.js';
import type { Path } from './difference.js';
import type { Isolation, Placement } from './isolation.js';
import type { ObjectRoute } from './routing.js';
import type { Unshared } from './service-namespaces.js';

export const DEFAULT_NAMESPACE_GRACE_MS = 30_000;

/**
 * Proof that an object's deletion is the user's wish, or the reason why it is not. The reads must be live and after the
 * deletion was seen. They must show the owning binding and the bound CRD without deletionTimestamp, or the binding
 * terminating under a policy that deletes objects together with their copies.
 */
export type DeletionProof =
  | {
      readonly kind: 'byUser';
      /** A live read shows that the consumer object does not exist. */ readonly objectGone?: true;
    }
  /** The binding is gone or terminating: release the finalizer, keep the copy. */
  | { readonly kind: 'unbinding' }
  /** The CRD is terminating: the API server deletes its objects, not a user. */
  | { readonly kind: 'crdTerminating' }
  /** Another owner has taken over the CRD. */
  | { readonly kind: 'crdForeign' }
  /**
   * The sync drains for a binding that stands again, as after a restored backup; or the binding is broken open, and what
   * it holds may not be recorded yet. Touch nothing.
   */
  | { readonly kind: 'bindingStands' };

/** Result of a live GET of the copy, managedFields included, about extra fields. */
export interface Inspection {
  /** The wanted content and the extra fields of this inspection. */
  readonly wantedHash: string;
  readonly extrasKey: string;
  /** The extra fields that only konnectors wrote. */
  readonly leftover: readonly Path[];
}

/** The maker of a copy, by the managedFields of a live GET. */
export interface Maker {
  /** uid of the copy read. */
  readonly uid: string | undefined;
  readonly isKonnector: boolean;
}

/** Knowledge about a pair beyond both caches. Kept only while it matters. */
export interface PairMemory extends Corrections {
  /** The consumer object of the last time the pair was in step, while it is out of step. */
  readonly previous?: UnstructuredObject | undefined;
  /** uid of a copy that a live answer has shown to be gone, or `none` after a live 404. */
  readonly copyGone?: string | undefined;
  readonly inspection?: Inspection | undefined;
  /**
   * A copy read live that no cache covers, because its namespace is no longer assigned, and when, on the clock of
   * {@link Observed.now}.
   */
  readonly found?: { readonly copy: UnstructuredObject; readonly at: number } | undefined;
  readonly maker?: Maker | undefined;
  /** The content last written, and the resulting version; `partly`: without the parts that the provider changed. */
  readonly lastWrite?:
    { readonly wantedHash: string; readonly resourceVersion: string; readonly partly?: boolean } | undefined;
  /**
   * When an existing copy was last written, on the clock of {@link Observed.now}: the written content stays known for a
   * while, also for a pair in step.
   */
  readonly patchedAt?: number | undefined;
  /** The provider's status (by the copy's uid and version) that the consumer's API server did not store as sent. */
  readonly statusRefused?: string | undefined;
  /** uid of the consumer object whose deletion is proven to be the user's wish. */
  readonly deletedByUser?: string | undefined;
  /**
   * uids of a consumer object that a live read showed being deleted, with our finalizer, and of its copy known by then:
   * that copy belongs to no later object.
   */
  readonly deletionStands?:
    | {
        readonly consumer: string | undefined;
        readonly copy: string | undefined;
        /** When it was read, on the clock of {@link Observed.now}. */
        readonly at: number;
      }
    | undefined;
  /**
   * uid of a consumer object that the API server deleted despite our finalizer: a DELETE that began before the
   * finalizer was written does not check again. Only the watch shows it, so a process that ends at that moment leaves
   * an orphan.
   */
  readonly slippedAway?: string | undefined;
  /** Since when the copy has had no consumer object, on the clock of {@link Observed.now}. */
  readonly orphanedSince?: number | undefined;
}

/** One consumer object and its copy, as far as decisions need. An immutable snapshot. */
export interface Observed {
  readonly consumerKey: ObjectKey;
  readonly consumer: UnstructuredObject | undefined;
  /**
   * Whether the consumer's cache may have missed something: its watch was interrupted and has not gone on yet. A backup
   * may have undone the deletion that the cache shows. Default false.
   */
  readonly isConsumerDoubtful?: boolean | undefined;
  readonly placement: Placement;
  /** Undefined: not in the cache. Meaningful only if placed and `copyCacheReady`. */
  readonly copy: UnstructuredObject | undefined;
  /** The other consumer object whose uid the copy bears: it is not the copy of this one. Undefined: none is known. */
  readonly otherOriginal?: ObjectKey | undefined;
  /**
   * Whether the APIServiceNamespace of the place lacks the export as an owner; `foreign`: another konnector made it.
   */
  readonly namespaceUnshared?: Unshared | undefined;
  /** Under isolation Identity: the copy's namespace is not known to exist on the provider. Default false. */
  readonly namespaceMissing?: boolean | undefined;
  /** False: the cache for the copy's place is not filled. */
  readonly copyCacheReady: boolean;
  readonly deletionProof: DeletionProof | undefined;
  /** Route of the consumer object. Default: this sync serves it. */
  readonly route?: ObjectRoute | undefined;
  /** Whether this sync handles the copy if it has no object. Default true. */
  readonly seesToOrphan?: boolean | undefined;
  /** Whether the copy may be deleted as an orphan; undefined: not requested yet. */
  readonly orphanDeletion?: 'allowed' | 'held' | undefined;
  readonly memory: PairMemory;
  /**
   * Milliseconds, on the clock of `memory` and `placement`. Monotonic: a wait that began on a wrong clock would last
   * for hours.
   */
  readonly now: number;
  /** Milliseconds since the epoch, for times in objects. Default `now`. */
  readonly wallNow?: number | undefined;
}

/** Constants of a sync. */
export interface PairSettings {
  /** The marks by which objects and copies identify each other. */
  readonly dialect: PairDialect;
  /**
   * Whether objects made on the provider, in a place of this consumer, are created on the consumer and bound
   * (`spec/klutch.md §6.10`). Default false.
   */
  readonly adoptsFromProvider?: boolean | undefined;
  /** Name of the binding, for messages. */
  readonly binding?: string | undefined;
  readonly isolation: Isolation;
  readonly clusterNamespace: string;
  /** Owner of cluster-scoped copies under `None` and `Prefixed` (`spec/konnector.md §8`). */
  readonly clusterNamespaceUid: string;
  /** uid of the consumer cluster. Empty: unknown, and no copy counts as another cluster's. */
  readonly consumerCluster: string;
  /** Whether the bound version has the status subresource. */
  readonly statusSubresource: boolean;
  /** Time for the provider to assign a namespace before its objects report the wait. Default 30 000 ms. */
  readonly namespaceGraceMs?: number | undefined;
  /**
   * The binding is ending: each object loses its copy and the finalizer, and stays. Objects in these namespaces are
   * another binding's. Absent: it is not ending.
   */
  readonly draining?: { readonly except: readonly string[] } | undefined;
  /** Default: {@link defaultPolicy}. The only value here that may change while a sync runs. */
  readonly policy?: BindingPolicy | undefined;
  /**
   * When the binding was made, in milliseconds since the epoch. Older copies may be left over from an earlier binding,
   * and are never deleted as orphans.
   */
  readonly boundSince?: number | undefined;
  /** Minimum time without a consumer object before a copy may be deleted. Default 60 000 ms. */
  readonly orphanGraceMs?: number | undefined;
  /** Time for a copy to terminate before its finalizers are reported. Default 300 000 ms. */
  readonly terminationGraceMs?: number | undefined;
  /** Corrections of the same field within a minute from which on it counts as contested. Default 5. */
  readonly contestedAfter?: number | undefined;
}

/** Owner reference of cluster-scoped copies; they go with the cluster namespace. */
export function clusterNamespaceOwner(settings: PairSettings): OwnerReference | undefined {
  switch (settings.isolation) {
    case 'None':
    case 'Prefixed':
      return {
        apiVersion: 'v1',
        kind: 'Namespace',
        name: settings.clusterNamespace,
        uid: settings.clusterNamespaceUid,
      };
    case 'Namespaced':
    case 'ServiceNamespace':
    case 'Identity':
      return undefined;
  }
}
