import type { OwnerReference } from '@hawser/client';
import type { Decision } from '@hawser/controller';
import type {
  APIServiceExport,
  APIServiceExportRequest,
  APIServiceNamespace,
  BoundSchema,
  BoundSchemaSpec,
} from '@hawser/kube-bind';
import type { ObservedRequest } from './observed-request.js';
import type { RequestOutcome } from './request-outcome.js';
import type { RequestProblem } from './request-problem.js';
import type { Admission } from './template/admission.js';

/** One step towards an answered request. Closed; carried out only by `act`. */
export type RequestAction =
  | { readonly type: 'createBoundSchema'; readonly object: BoundSchema }
  | {
      readonly type: 'replaceSchema';
      readonly boundSchema: BoundSchema;
      readonly spec: BoundSchemaSpec;
      readonly hash: string;
    }
  | { readonly type: 'createExport'; readonly object: APIServiceExport }
  | {
      readonly type: 'setOwners';
      readonly kind: 'BoundSchema' | 'APIServiceNamespace';
      readonly object: BoundSchema | APIServiceNamespace;
      readonly owners: readonly OwnerReference[];
    }
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

/** What was decided about one request, as it was at one generation. */
export interface Judged {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly admission: Admission;
}

/** A request at one moment. */
export interface RequestRound extends ObservedRequest {
  readonly now: number;
  readonly judged: Judged | undefined;
  /** Milliseconds until the request is looked at, because its consumer asks too often; 0: now. */
  readonly waitMs: number;
  /** When to ask again for what nothing tells, in milliseconds: that somebody gets a right, or that an export was not made whose creation got no answer. */
  readonly reviewInMs: number;
  /** Among the consumer's exports one counts of which nothing tells if it is not made. */
  readonly isUnsure?: boolean | undefined;
}

/** What is done in a round. */
export type RoundDecision = Decision<RequestAction>;
