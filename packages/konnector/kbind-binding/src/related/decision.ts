import type { KubeObject, UnstructuredObject } from '@hawser/client';
import type { ContentPatch, Corrections, Path } from '@hawser/konnector-sync';
import type { PairDecision, PairVerdict } from '@hawser/pair';
import type { Marking } from './marks.js';
import type { Side } from './rules.js';

/** One step towards a related object in step. Closed; only `createAct` executes it. */
export type Action =
  /** Read the objects live and in full. */
  | { readonly type: 'read'; readonly sides: readonly Side[] }
  | {
      readonly type: 'createCopy';
      readonly side: Side;
      readonly copy: UnstructuredObject;
      readonly from: string;
      readonly hash: string;
    }
  | ({
      readonly type: 'patchCopy';
      readonly side: Side;
      readonly from: string;
      readonly hash: string;
      /** It was in step before. */ readonly correction: boolean;
      /** The differing fields. */ readonly wrong: readonly Path[];
    } & ContentPatch)
  /** Ask original and binding live whether the copy on `side` may go. */
  | { readonly type: 'prove'; readonly side: Side }
  | {
      readonly type: 'deleteCopy';
      readonly side: Side;
      readonly copy: KubeObject;
      readonly why: 'unwanted' | 'replace';
    };

/** Why a related object, or a rule, is not served. `@hawser/reasons` has cause, actor and remedy of each. */
export type RelatedReason =
  | 'RelatedObjectExists'
  | 'RelatedObjectOfAnother'
  | 'RelatedObjectProtected'
  | 'RelatedCopyLeftOver'
  | 'RelatedObjectDrifting'
  | 'RelatedDeletionsHeld'
  | 'TooManyRelatedObjects'
  | 'Paused';

export type Waiting = 'write' | 'cache' | 'copyToGo' | 'originalToGo' | 'backoff';
export type Verdict = PairVerdict<Waiting, RelatedReason>;
export type Decision = PairDecision<Action, Verdict>;

/** Result of live reads about a copy that no original needs any more. */
export type Proof =
  /** The original is gone, and the cluster that reports this is the one that had it. */
  | 'originalGone'
  /** No current rule of the binding selects the original. */
  | 'notSelected'
  /** Something prevents it: decide again. */
  | 'none';

/** Memory of a pair. Lost at a restart, which costs two reads. */
export interface PairMemory extends Corrections {
  /** Versions of both that were seen in step. */
  readonly inStep?: Readonly<Record<Side, string>> | undefined;
  /** Sides whose watch reported a deletion there. An object that only a list lacks may have been lost. */
  readonly deleted?: readonly Side[] | undefined;
  /** Since when a copy has been without its original. */
  readonly missingSince?: number | undefined;
  /** The version of a copy that no proof attributes to a konnector. */
  readonly unproven?: string | undefined;
  readonly lastWrite?: { readonly from: string; readonly hash: string } | undefined;
}

/** One side of a pair. */
export interface SideObserved {
  /** As cached: metadata only. */
  readonly object: KubeObject;
  readonly marking: Marking;
  /** Whether a rule of this direction selects it as an original. */
  readonly selected: boolean;
  /** A copy of an object of the other side, present or former, or of another cluster: never an original. */
  readonly isEcho: boolean;
  /** Why it must not be copied to the other side, as the end of a sentence. */
  readonly protection: string | undefined;
}

/** A possibly related object on both sides, at one moment. */
export interface Observed {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly namespace: string;
  readonly name: string;
  readonly sides: Partial<Readonly<Record<Side, SideObserved>>>;
  /** Whether a missing object is known to be missing. */
  readonly cacheReady: Readonly<Record<Side, boolean>>;
  /** Sides with rules that are not understood. */
  readonly unclear: readonly Side[];
  /** Limit of copies on the consumer, if it is reached. */
  readonly full: number | undefined;
  readonly memory: PairMemory;
  readonly contents?: Partial<Readonly<Record<Side, UnstructuredObject>>> | undefined;
  readonly proof?: Proof | undefined;
  /** Answer of the deletion budget; undefined: it was not asked. */
  readonly deletion: 'allowed' | 'held' | undefined;
  /** Milliseconds on a monotonic clock. */
  readonly now: number;
}
