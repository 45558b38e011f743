import type { Client, UnstructuredObject } from '@hawser/client';
import type { Failures, Problem } from '@hawser/controller';
import type { ClusterKey } from '@hawser/informer';

import type { ActResult } from './act.js';
import type { Maker } from './creator.js';
import type { Action } from './decision.js';
import type { Dependency } from './dependencies.js';
import type { KcpCaches } from './kcp-caches.js';
import type { Neighbour } from './neighbours.js';
import type { AdoptionPolicy } from './observed.js';
import type { PairRecord } from './pair-record.js';
import type { RelatedPair } from './related-pairs.js';
import type { RelatedUses } from './related-uses.js';
import type { ResourceKinds } from './resource-kinds.js';
import type { PrimaryPair, RelatedRule } from './rules.js';
import type { ServiceNamespaces } from './service-namespaces.js';
import type { ServiceWatches } from './service-watches.js';
import type { StateDraft } from './state-draft.js';

/** What does not change from one primary to the next. */
export interface RelatedOptions {
  readonly rules: readonly RelatedRule[];
  readonly kcp: KcpCaches;
  readonly service: Client;
  readonly watches: ServiceWatches;
  readonly kinds: ResourceKinds;
  readonly namespaces: ServiceNamespaces;
  readonly adoption: AdoptionPolicy;
  readonly maker: Maker;
  readonly now: () => number;
  readonly uses: RelatedUses;
  readonly neighbours: () => readonly Neighbour[];
  readonly failures: Failures<Action>;
  /** Whether all primaries of all workspaces were looked at. */
  readonly surveyed: () => boolean;
  /** A primary is about to be resolved from this. */
  readonly looking: (key: string, dependency: Dependency) => void;
  /** `key`: of the primary. */
  readonly acted: (key: string, cluster: string, about: UnstructuredObject, action: Action, result: ActResult) => void;
  /** What was synced stays: a Go agent's is referred to no more and cannot be shown to be ours, or what is to go with its primary can be read no more. `held`: the original, where it has our finalizer. */
  readonly left: (cluster: string, problem: Problem, held: UnstructuredObject | undefined) => void;
}

/** The related objects of one primary, this time. */
export interface RelatedRun {
  /** `cluster|namespace/name` of the primary. */
  readonly key: string;
  readonly identity: ClusterKey;
  readonly draft: StateDraft;
  /** Undefined: the copy is gone already, so that nothing can be resolved. */
  readonly primary: PrimaryPair | undefined;
  /** As it was when it was pushed last, where nobody has written down which related objects it had then: a Go agent remembers what it synced, but not where to. */
  readonly former?: PrimaryPair | undefined;
  /** The primary was read with a deletionTimestamp, or is to be drained. */
  readonly deleting: boolean;
  /** The deletion has waited long enough for what cannot be read: that is left, and told. */
  readonly overdue?: boolean | undefined;
  /** Sources are let go, and copies stay. */
  readonly letGo?: boolean | undefined;
  readonly signal: AbortSignal;
}

export interface RelatedOutcome {
  readonly problems: readonly Problem[];
  /** Something is under way; its event brings the primary back. */
  readonly pending: boolean;
  /** Entries that could not be resolved, and objects that may not be read any more. */
  readonly unresolved: readonly Problem[];
  /** Identifiers of entries of which nothing is known now. */
  readonly kept: readonly string[];
  readonly requeueAfterMs: number | undefined;
  /** What the primary was resolved from. */
  readonly looked: readonly Dependency[];
  /** Service-origin objects that have their copy, to be announced on the primary. */
  readonly placed: readonly RelatedPair[];
  /** The first failure that passes by itself: for the queue's back-off. */
  readonly error: Error | undefined;
  /** When that is tried again, where it is parked: in milliseconds since the epoch. */
  readonly nextAttempt: number | undefined;
}

/** How it stands with one related object. */
export interface PairOutcome {
  /** The pair is there, and is to be remembered. */
  readonly kept: boolean;
  /** It could not be looked at: its primary refers to it all the same. */
  readonly waiting?: boolean | undefined;
  readonly pending: boolean;
  readonly problem?: Problem | undefined;
  /** It can be neither read nor let go, and that may last. */
  readonly unreachable?: Problem | undefined;
  readonly requeueAfterMs?: number | undefined;
  readonly error?: unknown;
  /** When the step that failed is tried again. */
  readonly nextAttempt?: number | undefined;
  /** Of the copy, where it is ours. */
  readonly uid?: string | undefined;
  /** The copy was made or taken just now, so that it has to be written down. */
  readonly isNew?: boolean | undefined;
}

/** What is known of a primary when its pairs are looked at. */
export interface Look {
  readonly context: RelatedRun;
  /** What was synced before. */
  readonly known: ReadonlyMap<string, PairRecord>;
  /** Whether what a Go agent remembers of an object counts in this place. */
  readonly isRemembered: (record: PairRecord) => boolean;
}

/** How one pair is worked on. */
export interface PairHow {
  readonly forcedDeletion: boolean;
  readonly rule?: RelatedRule;
  /** Something else has the place of the copy. */
  readonly placeTaken?: boolean;
}
