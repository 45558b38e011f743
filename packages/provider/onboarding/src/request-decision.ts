import type { KubeObject } from '@hawser/client';
import type { BindableResourcesRequest, ClusterBinding, LocalSecretKeyRef } from '@hawser/kube-bind';
import type { RequestProblem } from './request-problem.js';

/** The outcome to write into the status of a request. */
export type RequestOutcome =
  | { readonly kind: 'succeeded'; readonly namespace: string; readonly secret: LocalSecretKeyRef }
  | { readonly kind: 'problem'; readonly problem: RequestProblem };

/** One step. Closed; only `act` carries it out. */
export type RequestAction =
  | { readonly type: 'createNamespace'; readonly object: KubeObject }
  | { readonly type: 'createBinding'; readonly object: ClusterBinding }
  /** `kubeconfig`, base64: never log it. */
  | {
      readonly type: 'deliver';
      readonly request: BindableResourcesRequest;
      readonly namespace: string;
      readonly secret: LocalSecretKeyRef;
      readonly kubeconfig: string;
    }
  | { readonly type: 'writeStatus'; readonly request: BindableResourcesRequest; readonly outcome: RequestOutcome }
  | { readonly type: 'deleteRequest'; readonly request: BindableResourcesRequest };

export interface RequestDecision {
  /** At most one; then everything is observed again. */
  readonly action?: RequestAction | undefined;
  /** Decide again at this time without an event, in milliseconds since the epoch. */
  readonly at?: number | undefined;
}
