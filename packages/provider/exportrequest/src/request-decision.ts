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

/** One step towards an answered request. Closed; only `act` carries it out. */
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

/** State of a request after the actions. */
export type RequestVerdict =
  /** The request is gone or terminating. The objects made for it stay. */
  | { readonly kind: 'absent' }
  /** The actions lead to its next state. `unhurried`: so much is to do that others go first. */
  | { readonly kind: 'progressing'; readonly unhurried?: true }
  | { readonly kind: 'succeeded'; readonly followsSchema: boolean }
  /** Stays so until something else changes. */
  | { readonly kind: 'waiting'; readonly problem: RequestProblem }
  /** It can never succeed. */
  | { readonly kind: 'failed' };

export interface RequestDecision {
  /** In this order; afterwards everything is observed again, unless the last is a `writeStatus`. */
  readonly actions: readonly RequestAction[];
  readonly verdict: RequestVerdict;
}

/** The decision about one request at one generation. */
export interface Judged {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly admission: Admission;
}

/** A request at one moment. */
export interface RequestRound extends ObservedRequest {
  readonly now: number;
  readonly judged: Judged | undefined;
  /** Milliseconds until the request is looked at, because its consumer has too many requests; 0: now. */
  readonly waitMs: number;
  /**
   * Milliseconds until state without events is checked again: a granted right, or an export whose creation got no
   * answer.
   */
  readonly reviewInMs: number;
  /** The consumer's count includes an export that may never be made, which no event reports. */
  readonly isUnsure?: boolean | undefined;
}

/** The decision of a round. */
export type RoundDecision = Decision<RequestAction>;
