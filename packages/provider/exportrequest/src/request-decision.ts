import type { OwnerReference } from '@hawser/client';
import type { APIServiceExport, APIServiceExportRequest, APIServiceNamespace, BoundSchema, BoundSchemaSpec } from '@hawser/kube-bind';
import type { RequestOutcome } from './request-outcome.js';
import type { RequestProblem } from './request-problem.js';

/** One step towards an answered request. Closed; carried out only by `act`. */
export type RequestAction =
  | { readonly type: 'createBoundSchema'; readonly object: BoundSchema }
  | { readonly type: 'replaceSchema'; readonly boundSchema: BoundSchema; readonly spec: BoundSchemaSpec; readonly hash: string }
  | { readonly type: 'createExport'; readonly object: APIServiceExport }
  | { readonly type: 'setOwners'; readonly kind: 'BoundSchema' | 'APIServiceNamespace'; readonly object: BoundSchema | APIServiceNamespace; readonly owners: readonly OwnerReference[] }
  | { readonly type: 'createNamespace'; readonly object: APIServiceNamespace }
  | { readonly type: 'writeStatus'; readonly request: APIServiceExportRequest; readonly outcome: RequestOutcome };

/** How a request stands once the actions are done. */
export type RequestVerdict =
  /** There is none, or it is going. What was made for it stays. */
  | { readonly kind: 'absent' }
  /** Its next state follows from the actions. `unhurried`: there is so much to do that others are served before it goes on. */
  | { readonly kind: 'progressing'; readonly unhurried?: true }
  | { readonly kind: 'succeeded'; readonly followsSchema: boolean }
  /** It stays so until something else changes. */
  | { readonly kind: 'waiting'; readonly problem: RequestProblem }
  /** It can never succeed. */
  | { readonly kind: 'failed' };

export interface RequestDecision {
  /** In this order; afterwards everything is observed again, unless the last is a `writeStatus`. */
  readonly actions: readonly RequestAction[];
  readonly verdict: RequestVerdict;
}
