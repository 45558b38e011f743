import type { KubeObject, UnstructuredObject } from '@hawser/client';
import type { Corrections } from '@hawser/konnector-sync';

import type { Landing } from './landing.js';
import type { Verdict } from './verdict.js';
import type { Marks, Side } from './marks.js';
import { kubeBindMarks } from './kube-bind-marks.js';

/** Fixed while claims are served. */
export interface PairSettings {
  /** uid of the consumer cluster. */
  readonly consumerCluster: string;
  readonly clusterNamespace: string;
  /** uid of the cluster namespace: the provider's identity. */
  readonly clusterNamespaceUid: string;
  /** Time the provider has to assign a namespace before a report. */
  readonly namespaceGraceMs: number;
  /**
   * Minimum time an original must be missing before its copy goes, unless a watch saw its deletion. Default 60 000 ms.
   */
  readonly missingGraceMs?: number | undefined;
  /** How objects mark their owner. Default: kube-bind's marks. */
  readonly marks?: Marks | undefined;
}

/** The provider namespace for the consumer's. */
export type Placement =
  | { readonly kind: 'assigned'; readonly namespace: string }
  /** `since`: time of the request. */
  | { readonly kind: 'unassigned'; readonly since: number | undefined };

/** State of a pair between two looks. Lost at a restart, which costs two reads. */
export interface PairMemory extends Corrections {
  /** Versions ({@link versionOf}) of both when last seen in sync. */
  readonly inStep?: Readonly<Record<Side, string>> | undefined;
  /** Last uids seen in the caches: their disappearance was witnessed. */
  readonly seen?: Partial<Readonly<Record<Side, string>>> | undefined;
  /**
   * uid of the original whose deletion the watch reported. One only missing from a list may be lost, as by a restore.
   */
  readonly deleted?: Partial<Readonly<Record<Side, string>>> | undefined;
  /** Since when a copy lacks its original. */
  readonly missingSince?: number | undefined;
  /**
   * Original's version and content of the last write of the copy, and the resulting version; `partly`: without the
   * paths that another client changed.
   */
  readonly lastWrite?:
    { readonly from: string; readonly hash: string; readonly copy: string; readonly partly: boolean } | undefined;
  /** Until that time, while the original stays at that version, the copy is not even read. */
  readonly parked?: { readonly from: string; readonly until: number; readonly verdict: Verdict } | undefined;
}

/** A possibly claimed object on both sides, at one moment. A pair shares one name, in corresponding namespaces. */
export interface Observed {
  readonly name: string;
  readonly consumerNamespace: string;
  /** From the cache: metadata only. */
  readonly cached: Partial<Readonly<Record<Side, KubeObject>>>;
  readonly placement: Placement;
  /** Whether a missing object is known to be missing. */
  readonly cacheReady: Readonly<Record<Side, boolean>>;
  /** Bindings whose claims select the object on that side. */
  readonly claimedBy: Readonly<Record<Side, readonly string[]>>;
  /**
   * Why the object must not leave (consumer) or come in (provider), as the end of a sentence. By the original's side.
   */
  readonly protection: Partial<Readonly<Record<Side, string>>>;
  /** Whether claims may put a provider's object into this consumer namespace. Absent: they may. */
  readonly landing?: Landing | undefined;
  /**
   * Binding with claims on the namespace, whose export does not own the APIServiceNamespace. Another konnector's stays
   * until a copy is made there.
   */
  readonly unshared?: string | undefined;
  /** Binding that would bring another copy to the consumer although its limit is reached. */
  readonly full?: { readonly binding: string; readonly max: number } | undefined;
  /** A copy without its original's name bears the uid of an object elsewhere. By the side of the copy. */
  readonly cloned?: Partial<Readonly<Record<Side, boolean>>> | undefined;
  readonly memory: PairMemory;
  /** Read live in this pass; valid only for the cached version. */
  readonly contents?: Partial<Readonly<Record<Side, UnstructuredObject>>> | undefined;
  /** Budget's answer on deleting a copy with a missing original; undefined: not asked. */
  readonly deletion?: 'allowed' | 'held' | undefined;
  /** Read live: the server says that the original does not exist. */
  readonly originalGone?: boolean | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** How objects of these clusters mark their owner. */
export const marksOf = ({ marks = kubeBindMarks }: PairSettings): Marks => marks;
