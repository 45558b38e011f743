import type { KubeObject } from '@hawser/client';
import type { HeldDeletions } from '@hawser/controller';
import type { APIServiceNamespace, Dialect, WithdrawnObjectsPolicy } from '@hawser/kube-bind';
import type { Copy } from './copies.js';
import type { ExportObject } from './export-object.js';

/** Order of readings in one look at an export: later is greater, and no two are equal. */
export type Turn = number;

/** The API server's answer to the list of copies. */
export type Reading =
  /** All copies of the consumer, by name of the CRD. `withProof` decides what prevents their deletion. */
  | { readonly kind: 'read'; readonly turn: Turn; readonly copies: ReadonlyMap<string, readonly Copy[]> }
  /** In the API server's words. */
  | { readonly kind: 'refused'; readonly turn: Turn; readonly message: string };

/** The budget's answers, once it knows all waiting copies. */
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

/**
 * The owner of a namespace, read live for one batch: the APIServiceNamespace of a shared namespace, else the namespace.
 */
export interface OwnerReading {
  readonly turn: Turn;
  readonly owner: APIServiceNamespace | KubeObject | undefined;
}

/** Result for one batch. */
export interface Attempt {
  readonly turn: Turn;
  readonly deleted: number;
  /** In the API server's words; the rest of the batch was skipped. */
  readonly refused: string | undefined;
}

/** Everything that decides about one export. */
export interface ObservedExport {
  readonly found: ExportObject;
  /** The cluster namespace is gone or terminating. */
  readonly namespaceEnds: boolean;
  /** Resources of the export that no other export covers. */
  readonly resources: readonly string[];
  /** First sight of the export's end, and now: in milliseconds of the monotonic clock. */
  readonly endedSince: number;
  readonly now: number;
  readonly reading: Reading | undefined;
  readonly answers: BudgetAnswers | undefined;
  /** The deletions that the budget holds now, and its limit per minute. */
  readonly budget: { readonly held: HeldDeletions | undefined; readonly perMinute: number };
  readonly end: EndReading | undefined;
  /** By batch. */
  readonly owners: ReadonlyMap<string, OwnerReading>;
  /** By batch. */
  readonly attempts: ReadonlyMap<string, Attempt>;
  /** Copies of the export that this process has deleted so far. */
  readonly deleted: number;
  /** A read or a deletion of this look failed: the rest waits for the next one. Default false. */
  readonly isStuck?: boolean | undefined;
}

export interface ExportSettings {
  readonly dialect: Dialect;
  /** Policy of exports without one. */
  readonly policy: WithdrawnObjectsPolicy;
  readonly graceMs: number;
  readonly recheckMs: number;
  readonly goneCheckMs: number;
}
