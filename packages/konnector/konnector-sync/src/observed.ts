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
 * Whether an object's deletion is the user's wish. A deletion counts as the user's only if, read live after it was seen, the owning binding
 * and the bound CRD stand without deletionTimestamp, or the binding is going under a policy that deletes objects together with their copies.
 */
export type DeletionProof =
  | {
      readonly kind: 'byUser';
      /** The consumer object itself was read live as well, and does not exist. */ readonly objectGone?: true;
    }
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

/** Who has made a copy, according to the managedFields of a live GET. */
export interface Maker {
  /** Of the copy that was read. */
  readonly uid: string | undefined;
  readonly isKonnector: boolean;
}

/** What is known of a pair beyond both caches. Kept only while it matters. */
export interface PairMemory extends Corrections {
  /** The consumer object as it was when the pair was in step last, while it is not in step any more. */
  readonly previous?: UnstructuredObject | undefined;
  /** The uid of a copy that a live answer has shown to be gone, or `none` after a live 404. */
  readonly copyGone?: string | undefined;
  readonly inspection?: Inspection | undefined;
  /** A copy as it was read live, and when on the clock of {@link Observed.now}, where no cache has it: its namespace is not assigned any more. */
  readonly found?: { readonly copy: UnstructuredObject; readonly at: number } | undefined;
  readonly maker?: Maker | undefined;
  /** What was written last, and the version that came of it; `partly`: but for what the provider has changed. */
  readonly lastWrite?:
    { readonly wantedHash: string; readonly resourceVersion: string; readonly partly?: boolean } | undefined;
  /** When a copy that was there already was written last, on the clock of {@link Observed.now}: what was written stays known for a while, also while the pair is in step. */
  readonly patchedAt?: number | undefined;
  /** The provider's status (by the copy's uid and version) that the consumer's API server did not store as sent. */
  readonly statusRefused?: string | undefined;
  /** The uid of the consumer object whose deletion is proven to be the user's wish. */
  readonly deletedByUser?: string | undefined;
  /** The uids of a consumer object that was read live as being deleted, with our finalizer, and of the copy that was known by then: it is of no later object. */
  readonly deletionStands?: { readonly consumer: string | undefined; readonly copy: string | undefined } | undefined;
  /**
   * The uid of a consumer object that the API server deleted although it carried our finalizer: a DELETE that it had begun before the finalizer was written does
   * not look again. Only the watch tells it, so a process that ends in that instant leaves an orphan.
   */
  readonly slippedAway?: string | undefined;
  /** Since when the copy has been seen without its consumer object, on the clock of {@link Observed.now}. */
  readonly orphanedSince?: number | undefined;
}

/** One consumer object and its copy, as far as decisions need to know. A snapshot: nothing in it changes. */
export interface Observed {
  readonly consumerKey: ObjectKey;
  readonly consumer: UnstructuredObject | undefined;
  readonly placement: Placement;
  /** Undefined: not in the cache. Only meaningful if placed and `copyCacheReady`. */
  readonly copy: UnstructuredObject | undefined;
  /** The consumer object of another name whose uid the copy bears: it is not the copy of this one. Undefined: none is known. */
  readonly originalElsewhere?: ObjectKey | undefined;
  /** Whether the APIServiceNamespace of the place lacks the export as an owner; `foreign`: and another konnector has made it. */
  readonly namespaceUnshared?: Unshared | undefined;
  /** Under isolation Identity: the namespace of the copy is not known to exist on the provider. Default false. */
  readonly namespaceMissing?: boolean | undefined;
  /** False while the cache of the place where the copy belongs is not filled. */
  readonly copyCacheReady: boolean;
  readonly deletionProof: DeletionProof | undefined;
  /** Of the consumer object. Default: this sync serves it. */
  readonly route?: ObjectRoute | undefined;
  /** Whether this sync sees to the copy if it has no object. Default true. */
  readonly seesToOrphan?: boolean | undefined;
  /** Whether the copy may be deleted if it turns out to be an orphan; undefined: not asked yet. */
  readonly orphanDeletion?: 'allowed' | 'held' | undefined;
  readonly memory: PairMemory;
  /** Milliseconds, on the clock of `memory` and `placement`: one that nobody sets, since a wait that was begun on a wrong one would last for hours. */
  readonly now: number;
  /** Milliseconds since the epoch, for what objects say. Default `now`. */
  readonly wallNow?: number | undefined;
}

/** What does not change during the life of a sync. */
export interface PairSettings {
  /** By which marks objects and copies know each other. */
  readonly dialect: PairDialect;
  /** Whether objects that were made on the provider, in a place of this consumer, come to the consumer and are bound from then on (`spec/klutch.md §6.10`). Default false. */
  readonly adoptsFromProvider?: boolean | undefined;
  /** Name of the binding, for messages. */
  readonly binding?: string | undefined;
  readonly isolation: Isolation;
  readonly clusterNamespace: string;
  /** Owner of cluster-scoped copies under `None` and `Prefixed` (`spec/konnector.md §8`). */
  readonly clusterNamespaceUid: string;
  /** uid of the consumer cluster. Empty: not known, and no copy is another cluster's. */
  readonly consumerCluster: string;
  /** Whether the bound version has the status subresource. */
  readonly statusSubresource: boolean;
  /** How long the provider may take to assign a namespace before its objects say that they wait for it. Default 30 000 ms. */
  readonly namespaceGraceMs?: number | undefined;
  /** The binding is on its way out: each object loses its copy and the finalizer, and stays, but for those in these namespaces, which are another binding's. Absent: it is not. */
  readonly draining?: { readonly except: readonly string[] } | undefined;
  /** Default: {@link defaultPolicy}. The one thing here that may change while a sync runs. */
  readonly policy?: BindingPolicy | undefined;
  /** When the binding was made, in milliseconds since the epoch: copies that are older may have been left by an earlier one, and are never deleted as orphans. */
  readonly boundSince?: number | undefined;
  /** How long a copy must have been without its consumer object before it may be deleted. Default 60 000 ms. */
  readonly orphanGraceMs?: number | undefined;
  /** How long a copy may be terminating before it is told who holds it. Default 300 000 ms. */
  readonly terminationGraceMs?: number | undefined;
  /** How often the same field is put back within a minute before it counts as contested. Default 5. */
  readonly contestedAfter?: number | undefined;
}

/** The owner reference of cluster-scoped copies, which disappear with the cluster namespace. */
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
