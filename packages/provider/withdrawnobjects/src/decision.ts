import { finalizers } from '@hawser/kube-bind';
import type { Place } from './belonging.js';
import type { Copy } from './copies.js';
import type { Left } from './left.js';
import type { ExportOutcome } from './outcome.js';

export const finalizer = finalizers.withdrawnObjects;

/** Some copies of one resource in one place: they are proven, and deleted, together. */
export interface Batch {
  readonly id: string;
  /** Name of the CRD. */
  readonly resource: string;
  /** Undefined: the copies are cluster-scoped. */
  readonly place: Place | undefined;
  readonly copies: readonly Copy[];
}

/** What teaches something about an export; it is decided about again afterwards. Closed; asked only by `ConsumerLook`. */
export type Question =
  | { readonly type: 'readCopies'; readonly resources: readonly string[] }
  /** Tell the budget of all copies that may go, then ask it about each. `approved`: the token of the operator. */
  | { readonly type: 'askBudget'; readonly copies: readonly Copy[]; readonly approved: string }
  /** Read the cluster namespace and its exports live. */
  | { readonly type: 'proveEnded'; readonly batch: Batch }
  /** Read live whose the namespace of the batch is. */
  | { readonly type: 'provePlace'; readonly batch: Batch; readonly place: Place };

/** After each it is decided about the export again. */
export type Step =
  | Question
  /** Delete the copies of the batch, each only as it was read. */
  | { readonly type: 'deleteCopies'; readonly batch: Batch };

/** What ends a look at an export, in the order given. Closed. */
export type Conclusion =
  /** Writes only what differs. */
  | { readonly type: 'tellExport'; readonly outcome: ExportOutcome }
  | { readonly type: 'setFinalizer' }
  | { readonly type: 'dropFinalizer' }
  /** All copies are gone: say how many were deleted, and start anew. */
  | { readonly type: 'tellDeleted'; readonly count: number }
  /** Look again, though no event may come. */
  | { readonly type: 'wait'; readonly ms: number };

/** What is carried out, only by `Actor`. */
export type Write = Exclude<Step, Question> | Exclude<Conclusion, { readonly type: 'wait' }>;

export type Decision =
  | { readonly kind: 'step'; readonly step: Step }
  /** `left`: copies that were read, and not deleted or not yet gone, by name of the CRD. */
  | { readonly kind: 'settled'; readonly conclusions: readonly Conclusion[]; readonly left: ReadonlyMap<string, Left> };
