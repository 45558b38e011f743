import type { KubeObject, UnstructuredObject } from '@hawser/client';
import type { ContentPatch, Corrections, Path } from '@hawser/konnector-sync';
import type { PairDecision, PairVerdict } from '@hawser/pair';
import type { Marking } from './marks.js';
import type { Side } from './rules.js';

/** One step towards a related object being in step. Closed; carried out only by `createAct`. */
export type Action =
  /** Read, live and in full, what is there. */
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
      /** It was as wanted before. */ readonly correction: boolean;
      /** What differs. */ readonly wrong: readonly Path[];
    } & ContentPatch)
  /** Ask original and binding live whether the copy on `side` may go. */
  | { readonly type: 'prove'; readonly side: Side }
  | {
      readonly type: 'deleteCopy';
      readonly side: Side;
      readonly copy: KubeObject;
      readonly why: 'unwanted' | 'replace';
    };

/** Why a related object, or a rule, is not served. Cause, actor and remedy of each are in `@hawser/reasons`. */
export type RelatedReason =
  | 'RelatedObjectExists'
  | 'RelatedObjectOfAnother'
  | 'RelatedObjectProtected'
  | 'RelatedCopyLeftOver'
  | 'RelatedObjectDrifting'
  | 'RelatedDeletionsHeld'
  | 'TooManyRelatedObjects';

export type Waiting = 'write' | 'cache' | 'copyToGo' | 'originalToGo' | 'backoff';
export type Verdict = PairVerdict<Waiting, RelatedReason>;
export type Decision = PairDecision<Action, Verdict>;

/** What live reads say about a copy that no original asks for any more. */
export type Proof =
  /** The original is gone, and the cluster that says so is the one that had it. */
  | 'originalGone'
  /** No rule of the binding, as it is now, selects the original. */
  | 'notSelected'
  /** Something stands in its way: another look is needed. */
  | 'none';

/** What is remembered of a pair. Lost at a restart, which costs two reads. */
export interface PairMemory extends Corrections {
  /** Versions of both that were seen in step. */
  readonly inStep?: Readonly<Record<Side, string>> | undefined;
  /** Sides whose API server told, by its watch, that the object was deleted there. One that a list merely lacks may have been lost. */
  readonly deleted?: readonly Side[] | undefined;
  /** Since when a copy has been without its original. */
  readonly missingSince?: number | undefined;
  /** The version of a copy of which nothing proves that a konnector wrote it. */
  readonly unproven?: string | undefined;
  readonly lastWrite?: { readonly from: string; readonly hash: string } | undefined;
}

/** What is there of a pair on one side. */
export interface SideObserved {
  /** As cached: metadata alone. */
  readonly object: KubeObject;
  readonly marking: Marking;
  /** Whether a rule of this direction selects it as an original. */
  readonly selected: boolean;
  /** It is a copy of something that is, or was, on the other side, or of another cluster's: never an original. */
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
  /** Sides whose rules are not all understood. */
  readonly unclear: readonly Side[];
  /** How many copies there may be on the consumer, where as many have come. */
  readonly full: number | undefined;
  readonly memory: PairMemory;
  readonly contents?: Partial<Readonly<Record<Side, UnstructuredObject>>> | undefined;
  readonly proof?: Proof | undefined;
  /** What the budget of deletions says; undefined: it was not asked. */
  readonly deletion: 'allowed' | 'held' | undefined;
  /** Milliseconds on a clock that nobody sets. */
  readonly now: number;
}
