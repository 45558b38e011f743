import { finalizers } from '@hawser/kube-bind';
import type { CopyNamespace } from './belonging.js';
import type { Copy } from './copies.js';
import type { Left } from './left.js';
import type { ExportOutcome } from './outcome.js';

export const finalizer = finalizers.withdrawnObjects;

/** Copies of one resource in one namespace, proven and deleted together. */
export interface Batch {
  readonly id: string;
  /** Name of the CRD. */
  readonly resource: string;
  /** Undefined: the copies are cluster-scoped. */
  readonly copyNamespace: CopyNamespace | undefined;
  readonly copies: readonly Copy[];
}

/** Questions about an export; each answer leads to a new decision. Closed; only `ConsumerLook` asks them. */
export type Question =
  | { readonly type: 'readCopies'; readonly resources: readonly string[] }
  /** Report all deletable copies to the budget, then ask it about each. `approved`: the operator's token. */
  | { readonly type: 'askBudget'; readonly copies: readonly Copy[]; readonly approved: string }
  /** Read the cluster namespace and its exports live. */
  | { readonly type: 'proveEnded'; readonly batch: Batch }
  /** Read live whose the batch's namespace is. */
  | { readonly type: 'proveOwner'; readonly batch: Batch; readonly copyNamespace: CopyNamespace };

/** A new decision about the export follows each step. */
export type Step =
  | Question
  /** Delete the copies of the batch, each only as it was read. */
  | { readonly type: 'deleteCopies'; readonly batch: Batch };

/** Final steps of a look at an export, in the given order. Closed. */
export type Conclusion =
  /** Writes only differences. */
  | { readonly type: 'tellExport'; readonly outcome: ExportOutcome }
  | { readonly type: 'setFinalizer' }
  | { readonly type: 'dropFinalizer' }
  /** All copies are gone: report the number of deletions, and start anew. */
  | { readonly type: 'tellDeleted'; readonly count: number }
  /** Look again, even without an event. */
  | { readonly type: 'wait'; readonly ms: number };

/** Steps that only `Actor` carries out. */
export type Write = Exclude<Step, Question> | Exclude<Conclusion, { readonly type: 'wait' }>;

export type Decision =
  | { readonly kind: 'step'; readonly step: Step }
  /** `left`: copies that were read and are not deleted or not yet gone, by name of the CRD. */
  | { readonly kind: 'settled'; readonly conclusions: readonly Conclusion[]; readonly left: ReadonlyMap<string, Left> };
