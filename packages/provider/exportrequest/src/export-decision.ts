import type { APIServiceExport, BoundSchema } from '@hawser/kube-bind';

/** One export and its BoundSchemas. A snapshot: nothing in it changes. */
export interface ObservedExport {
  /** Undefined: not in the cache. */
  readonly export: APIServiceExport | undefined;
  /** The BoundSchemas that exist, by name. */
  readonly boundSchemas: ReadonlyMap<string, BoundSchema>;
}

/** Whether every BoundSchema of an export is there. */
export type ExportOutcome =
  | { readonly kind: 'inSync' }
  | { readonly kind: 'boundSchemasMissing'; readonly names: readonly string[] };

/** One step. Closed; carried out only by `act`. */
export type ExportAction =
  /** The write that makes konnectors look at the BoundSchemas again. */
  | { readonly type: 'annotate'; readonly export: APIServiceExport; readonly hash: string }
  | { readonly type: 'writeStatus'; readonly export: APIServiceExport; readonly outcome: ExportOutcome };

export interface ExportDecision {
  /** In this order. */
  readonly actions: readonly ExportAction[];
  readonly verdict: ExportOutcome | { readonly kind: 'absent' };
}
