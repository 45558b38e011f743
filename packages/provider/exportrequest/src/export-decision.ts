import type { Decision } from '@hawser/controller';
import type { APIServiceExport, BoundSchema, Withdrawal } from '@hawser/kube-bind';
import type { Admission, Asked } from './template/admission.js';

/** One export and its BoundSchemas. A snapshot: nothing in it changes. */
export interface ObservedExport {
  /** Undefined: not in the cache. */
  readonly export: APIServiceExport | undefined;
  /** The BoundSchemas that exist, by name. */
  readonly boundSchemas: ReadonlyMap<string, BoundSchema>;
  readonly request: RequestPresence;
  /** Whether what was withdrawn may be given again. Undefined: nobody asked, and it is not; see `wantsRestoring`. */
  readonly readmission?: Admission | undefined;
  /** For what a readmission was asked. */
  readonly asked?: Asked | undefined;
}

/** Whether the request of an export's name is there. */
export type RequestPresence =
  /** A request that is not answered yet grants nothing. */
  | { readonly kind: 'present'; readonly uid: string | undefined; readonly answered: boolean }
  /** The API server says so, and not only the cache. */
  | { readonly kind: 'gone' }
  /** Nobody asked: it makes no difference. */
  | { readonly kind: 'unknown' };

/** Whether every BoundSchema of an export is there. */
export type ExportOutcome =
  { readonly kind: 'inSync' } | { readonly kind: 'boundSchemasMissing'; readonly names: readonly string[] };

/** What becomes of the rights for an export. */
export type Turn = { readonly kind: 'withdrawn'; readonly because: Withdrawal } | { readonly kind: 'restored' };

/** One step. Closed; carried out only by `act`. */
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
  /** Milliseconds until what was withdrawn may be given back; 0: now. */
  readonly restoreInMs: number;
  /** When to ask again whether a consumer may bind, in milliseconds. Nothing tells when somebody gets a right. */
  readonly reviewInMs: number;
}

/** What is done in a round. */
export interface RoundDecision extends Decision<ExportAction> {
  /** The export stays withdrawn because it would not be granted now. */
  readonly isRefused: boolean;
}

export interface ExportDecision {
  /** In this order. */
  readonly actions: readonly ExportAction[];
  readonly verdict: ExportOutcome | { readonly kind: 'absent' };
}
