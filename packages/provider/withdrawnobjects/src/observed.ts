import type { KubeObject } from '@hawser/client';
import type { HeldDeletions } from '@hawser/controller';
import type { APIServiceNamespace, Dialect, WithdrawnObjectsPolicy } from '@hawser/kube-bind';
import type { Copy } from './copies.js';
import type { ExportObject } from './export-object.js';

/** When something was learned in one look at an export: later is greater. Two readings never have the same. */
export type Turn = number;

/** What the API server said when it was asked for the copies. */
export type Reading =
  /** All copies of the consumer, by name of the CRD. What stands between a copy and its deletion is judged by `withProof`. */
  | { readonly kind: 'read'; readonly turn: Turn; readonly copies: ReadonlyMap<string, readonly Copy[]> }
  /** In the API server's words. */
  | { readonly kind: 'refused'; readonly turn: Turn; readonly message: string };

/** What the budget says about the copies that wait, once it knows all of them. */
export interface BudgetAnswers {
  readonly turn: Turn;
  /** By id of the copy. */
  readonly of: ReadonlyMap<string, 'allowed' | 'held' | undefined>;
}

/** The cluster namespace and all exports in it, read live for one batch. */
export interface EndReading {
  readonly turn: Turn;
  readonly batch: string;
  readonly namespace: KubeObject | undefined;
  readonly exports: readonly ExportObject[];
}

/** What says whose a namespace is, read live for one batch: the APIServiceNamespace where the namespace is shared, else the namespace. */
export interface PlaceReading {
  readonly turn: Turn;
  readonly says: APIServiceNamespace | KubeObject | undefined;
}

/** What became of one batch. */
export interface Attempt {
  readonly turn: Turn;
  readonly deleted: number;
  /** In the API server's words; the rest of the batch was left alone. */
  readonly refused: string | undefined;
}

/** All that is known about one export when it is decided about. */
export interface ObservedExport {
  readonly found: ExportObject;
  /** The cluster namespace is gone, or on its way out. */
  readonly namespaceEnds: boolean;
  /** Resources of the export that no other export stands for. */
  readonly resources: readonly string[];
  /** When the export was first seen ended, and now: in milliseconds of the monotonic clock. */
  readonly endedSince: number;
  readonly now: number;
  readonly reading: Reading | undefined;
  readonly answers: BudgetAnswers | undefined;
  /** What the budget holds back now, and how many it lets go in a minute. */
  readonly budget: { readonly held: HeldDeletions | undefined; readonly perMinute: number };
  readonly end: EndReading | undefined;
  /** By batch. */
  readonly places: ReadonlyMap<string, PlaceReading>;
  /** By batch. */
  readonly attempts: ReadonlyMap<string, Attempt>;
  /** Copies of the export that this process has deleted so far. */
  readonly deleted: number;
  /** A read or a deletion of this look failed: what is left waits for the next one. Default false. */
  readonly isStuck?: boolean | undefined;
}

export interface ExportSettings {
  readonly dialect: Dialect;
  /** Of exports that do not say it. */
  readonly policy: WithdrawnObjectsPolicy;
  readonly graceMs: number;
  readonly recheckMs: number;
  readonly goneCheckMs: number;
}
