import type { Decision } from '@hawser/controller';
import type { APIServiceExport, BoundSchema, Withdrawal } from '@hawser/kube-bind';
import type { Admission, Asked } from './template/admission.js';

/** One export and its BoundSchemas. An immutable snapshot. */
export interface ObservedExport {
  /** Undefined: not in the cache. */
  readonly export: APIServiceExport | undefined;
  /** The existing BoundSchemas, by name. */
  readonly boundSchemas: ReadonlyMap<string, BoundSchema>;
  readonly request: RequestPresence;
  /** Whether a withdrawn export may return. Undefined: not asked, and it may not; see `wantsRestoring`. */
  readonly readmission?: Admission | undefined;
  /** What a readmission was asked for. */
  readonly asked?: Asked | undefined;
}

/** Whether a request with the export's name exists. */
export type RequestPresence =
  /** An unanswered request grants nothing. */
  | { readonly kind: 'present'; readonly uid: string | undefined; readonly answered: boolean }
  /** The API server says so, not only the cache. */
  | { readonly kind: 'gone' }
  /** Not asked: it makes no difference. */
  | { readonly kind: 'unknown' };

/** Whether every BoundSchema of an export exists. */
export type ExportOutcome =
  { readonly kind: 'inSync' } | { readonly kind: 'boundSchemasMissing'; readonly names: readonly string[] };

/** Change of the rights for an export. */
export type Turn = { readonly kind: 'withdrawn'; readonly because: Withdrawal } | { readonly kind: 'restored' };

/** One step. Closed; only `act` carries it out. */
export type ExportAction =
  /** The write that makes konnectors look at the BoundSchemas again, and marks an export as withdrawn. Null removes. */
  | {
      readonly type: 'annotate';
      readonly export: APIServiceExport;
      readonly annotations: Readonly<Record<string, string | null>>;
      readonly turn?: Turn | undefined;
    }
  | { readonly type: 'writeStatus'; readonly export: APIServiceExport; readonly outcome: ExportOutcome };

/** An export at one moment. */
export interface ExportRound extends ObservedExport {
  readonly now: number;
  /** Milliseconds until a withdrawn export may return; 0: now. */
  readonly restoreInMs: number;
  /** Milliseconds until the consumer's right to bind is checked again. No event reports a granted right. */
  readonly reviewInMs: number;
}

/** The decision of a round. */
export interface RoundDecision extends Decision<ExportAction> {
  /** The export stays withdrawn because it would not be granted now. */
  readonly isRefused: boolean;
}

export interface ExportDecision {
  /** In this order. */
  readonly actions: readonly ExportAction[];
  readonly verdict: ExportOutcome | { readonly kind: 'absent' };
}
