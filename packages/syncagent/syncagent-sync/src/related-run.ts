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

/** Constants of all primaries. */
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
  /** A primary will be resolved from this input. */
  readonly looking: (key: string, dependency: Dependency) => void;
  /** `key`: of the primary. */
  readonly acted: (key: string, cluster: string, about: UnstructuredObject, action: Action, result: ActResult) => void;
  /**
   * A synced object stays: it is a Go agent's, no longer referenced, and not provably ours; or it should go with its
   * primary, and is no longer readable. `held`: the original, if it has our finalizer.
   */
  readonly left: (cluster: string, problem: Problem, held: UnstructuredObject | undefined) => void;
}

/** One run for the related objects of one primary. */
export interface RelatedRun {
  /** `cluster|namespace/name` of the primary. */
  readonly key: string;
  readonly identity: ClusterKey;
  readonly draft: StateDraft;
  /** Undefined: the copy is gone, so nothing can be resolved. */
  readonly primary: PrimaryPair | undefined;
  /**
   * Its state at the last push, if its related objects of that time are not recorded: a Go agent remembers the synced
   * objects, but not their destinations.
   */
  readonly former?: PrimaryPair | undefined;
  /** The primary was read with a deletionTimestamp, or is to be drained. */
  readonly deleting: boolean;
  /** The deletion has waited long enough for unreadable objects: they are left, and reported. */
  readonly overdue?: boolean | undefined;
  /** Sources are released, and copies stay. */
  readonly letGo?: boolean | undefined;
  /** Whether kcp has the primary as `primary` shows it, by a live read. Default: its end was read live. */
  readonly isStored?: (() => Promise<boolean>) | undefined;
  readonly signal: AbortSignal;
}

export interface RelatedOutcome {
  readonly problems: readonly Problem[];
  /** Work is in progress; its event brings the primary back. */
  readonly pending: boolean;
  /** Entries that could not be resolved, and objects that are no longer readable. */
  readonly unresolved: readonly Problem[];
  /** Identifiers of entries without a present state. */
  readonly kept: readonly string[];
  readonly requeueAfterMs: number | undefined;
  /** The inputs from which the primary was resolved. */
  readonly looked: readonly Dependency[];
  /** Service-origin objects with a copy, to be announced on the primary. */
  readonly placed: readonly RelatedPair[];
  /** The first transient failure: for the queue's back-off. */
  readonly error: Error | undefined;
  /** Its next try if it is parked, in milliseconds since the epoch. */
  readonly nextAttempt: number | undefined;
}

/** Outcome for one related object. */
export interface PairOutcome {
  /** The pair exists, and must be remembered. */
  readonly kept: boolean;
  /** It could not be looked at, but its primary still references it. */
  readonly waiting?: boolean | undefined;
  readonly pending: boolean;
  readonly problem?: Problem | undefined;
  /** It can be neither read nor released, and that may last. */
  readonly unreachable?: Problem | undefined;
  readonly requeueAfterMs?: number | undefined;
  readonly error?: unknown;
  /** Time of the failed step's next try. */
  readonly nextAttempt?: number | undefined;
  /** uid of the copy, if it is ours. */
  readonly uid?: string | undefined;
  /** The copy was just created or adopted, so it must be recorded. */
  readonly isNew?: boolean | undefined;
}

/** Knowledge about a primary while its pairs are looked at. */
export interface Look {
  readonly context: RelatedRun;
  /** The objects synced before. */
  readonly known: ReadonlyMap<string, PairRecord>;
  /** Whether a Go agent's record of an object counts for this destination. */
  readonly isRemembered: (record: PairRecord) => boolean;
}

/** How to work on one pair. */
export interface PairHow {
  readonly forcedDeletion: boolean;
  readonly rule?: RelatedRule;
  /** Another object has the destination of the copy. */
  readonly isDestinationTaken?: boolean;
}
