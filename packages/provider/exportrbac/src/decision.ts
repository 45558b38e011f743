import type { BoundSchema } from '@hawser/kube-bind';
import type { ExportObject } from './export-object.js';
import type { BindingObject } from './rbac-objects.js';
import type { RequestObject, RequestRights } from './request-rights.js';
import type { RightsOutcome } from './rights-outcome.js';

/** One step for a consumer. Closed; carried out only by `act`. */
export type Action =
  | { readonly type: 'grant'; readonly binding: BindingObject }
  /** Subjects, label and owner as they should be; the role of a binding cannot be changed. */
  | { readonly type: 'repair'; readonly existing: BindingObject; readonly binding: BindingObject }
  | { readonly type: 'withdraw'; readonly existing: BindingObject }
  /** Have konnectors watch service namespaces instead of the cluster. */
  | { readonly type: 'narrow'; readonly schema: BoundSchema; readonly hash: string }
  /** A RoleBinding of the Go backend in a service namespace, with the Role that it made for it. */
  | { readonly type: 'removeBackendBinding'; readonly existing: BindingObject }
  | { readonly type: 'writeCondition'; readonly export: ExportObject; readonly outcome: RightsOutcome }
  | { readonly type: 'writeRequest'; readonly request: RequestObject; readonly rights: RequestRights };

/** How a consumer stands once the actions are done. */
export type Verdict =
  /** It has all that it may have. */
  | { readonly kind: 'granted' }
  /** Some rights are refused, as the conditions of its exports say. `unfinished`: because the provider's installation is. */
  | { readonly kind: 'refused'; readonly unfinished: boolean }
  /** Its cluster namespace is gone or going: rights go with it. */
  | { readonly kind: 'absent' };

export interface Decision {
  readonly actions: readonly Action[];
  readonly verdict: Verdict;
}
