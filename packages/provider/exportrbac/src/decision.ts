import type { BoundSchema } from '@hawser/kube-bind';
import type { ExportObject } from './export-object.js';
import type { BindingObject } from './rbac-objects.js';
import type { RequestObject, RequestRights } from './request-rights.js';
import type { RightsOutcome } from './rights-outcome.js';

/** One step for a consumer. Closed; only `act` carries it out. */
export type Action =
  | { readonly type: 'grant'; readonly binding: BindingObject }
  /** Corrects subjects, label and owner; the role of a binding is immutable. */
  | { readonly type: 'repair'; readonly existing: BindingObject; readonly binding: BindingObject }
  | { readonly type: 'withdraw'; readonly existing: BindingObject }
  /** Makes konnectors watch service namespaces instead of the cluster. */
  | { readonly type: 'narrow'; readonly schema: BoundSchema; readonly hash: string }
  /** A RoleBinding of the Go backend in a service namespace, and its Role. */
  | { readonly type: 'removeBackendBinding'; readonly existing: BindingObject }
  | { readonly type: 'writeCondition'; readonly export: ExportObject; readonly outcome: RightsOutcome }
  | { readonly type: 'writeRequest'; readonly request: RequestObject; readonly rights: RequestRights };

/** State of a consumer after the actions. */
export type Verdict =
  /** It has all rights that it may have. */
  | { readonly kind: 'granted' }
  /** Some rights are refused, see its exports' conditions. `unfinished`: the provider's installation is incomplete. */
  | { readonly kind: 'refused'; readonly unfinished: boolean }
  /** Its cluster namespace is gone or terminating: its rights go too. */
  | { readonly kind: 'absent' };

export interface Decision {
  readonly actions: readonly Action[];
  readonly verdict: Verdict;
}
