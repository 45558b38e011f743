import type { KubeObject, UnstructuredObject } from '@hawser/client';
import type { Corrections } from '@hawser/konnector-sync';

import type { Landing } from './landing.js';
import type { Verdict } from './verdict.js';
import type { Marks, Side } from './marks.js';
import { kubeBindMarks } from './kube-bind-marks.js';

/** What does not change while claims are served. */
export interface PairSettings {
  /** uid of the consumer cluster. */
  readonly consumerCluster: string;
  readonly clusterNamespace: string;
  /** uid of the cluster namespace: who the provider is. */
  readonly clusterNamespaceUid: string;
  /** How long the provider may take to assign a namespace before that is told. */
  readonly namespaceGraceMs: number;
  /** How long an original must have been missing before its copy goes, unless its deletion was watched. Default 60 000 ms. */
  readonly missingGraceMs?: number | undefined;
  /** How objects say whose they are. Default: as in kube-bind. */
  readonly marks?: Marks | undefined;
}

/** The provider namespace that stands for the consumer's. */
export type Placement =
  | { readonly kind: 'assigned'; readonly namespace: string }
  /** `since`: it has been asked for. */
  | { readonly kind: 'unassigned'; readonly since: number | undefined };

/** What is remembered of a pair between two looks. Lost at a restart, which costs two reads. */
export interface PairMemory extends Corrections {
  /** Versions ({@link versionOf}) of both that were seen to be in step. */
  readonly inStep?: Readonly<Record<Side, string>> | undefined;
  /** Last uids seen in the caches: that they are missing now was witnessed. */
  readonly seen?: Partial<Readonly<Record<Side, string>>> | undefined;
  /** The uid of the original whose deletion the API server's watch told. One that is missing from a list may have been lost, as by a restore. */
  readonly deleted?: Partial<Readonly<Record<Side, string>>> | undefined;
  /** Since when a copy has been without its original. */
  readonly missingSince?: number | undefined;
  /** The original's version and the content that the copy was written from last, and the version that came of it; `partly`: but for what another client has changed. */
  readonly lastWrite?:
    { readonly from: string; readonly hash: string; readonly copy: string; readonly partly: boolean } | undefined;
  /** As long as the original is that version the copy is not even read before that time. */
  readonly parked?: { readonly from: string; readonly until: number; readonly verdict: Verdict } | undefined;
}

/** A possibly claimed object on both sides, at one moment. Pairs have one name, and namespaces that stand for each other. */
export interface Observed {
  readonly name: string;
  readonly consumerNamespace: string;
  /** As cached: metadata alone. */
  readonly cached: Partial<Readonly<Record<Side, KubeObject>>>;
  readonly placement: Placement;
  /** Whether a missing object is known to be missing. */
  readonly cacheReady: Readonly<Record<Side, boolean>>;
  /** Bindings whose claims select the object as it is on that side. */
  readonly claimedBy: Readonly<Record<Side, readonly string[]>>;
  /** Why the object must not leave (consumer), or not come in (provider): as the end of a sentence. By the side of the original. */
  readonly protection: Partial<Readonly<Record<Side, string>>>;
  /** Whether claims may put an object of the provider into this namespace of the consumer. Absent: they may. */
  readonly landing?: Landing | undefined;
  /** The binding whose claims use the namespace, and whose export is not an owner of its APIServiceNamespace. One that another konnector made is left until a copy is made there. */
  readonly unshared?: string | undefined;
  /** By whose claims another copy would come to the consumer, where as many have come already as may. */
  readonly full?: { readonly binding: string; readonly max: number } | undefined;
  /** A copy without the name of its original bears the uid of an object that stands elsewhere. By the side of the copy. */
  readonly cloned?: Partial<Readonly<Record<Side, boolean>>> | undefined;
  readonly memory: PairMemory;
  /** Read live in this pass; counts only for the version that is cached. */
  readonly contents?: Partial<Readonly<Record<Side, UnstructuredObject>>> | undefined;
  /** What the budget of deletions says to that of a copy whose original is missing; undefined: it has not been asked. */
  readonly deletion?: 'allowed' | 'held' | undefined;
  /** The original was read live, and the server says that it does not exist. */
  readonly originalGone?: boolean | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** How objects of these clusters say whose they are. */
export const marksOf = ({ marks = kubeBindMarks }: PairSettings): Marks => marks;
