import type { ClusterBinding, Secret } from '@hawser/kube-bind';
import type { HeartbeatPlan } from './heartbeat.js';

/** Everything that decides about one connection, read at one moment. */
export interface Observed {
  readonly clusterBinding: ClusterBindingReading;
  readonly providerSecret: ProviderSecretReading;
  /** The consumer Secrets that hold the kubeconfig of this connection. */
  readonly consumerSecrets: readonly ConsumerSecret[];
  /** A release or the version string of a build. */
  readonly version: string;
  readonly heartbeat: HeartbeatPlan;
  readonly nowMs: number;
}

export type ClusterBindingReading =
  | { readonly kind: 'found'; readonly object: ClusterBinding }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly error: string };

export type ProviderSecretReading =
  /** `kubeconfig`: the value under the key that the ClusterBinding names, base64; `refusal`: why no connection could be made with it. */
  | {
      readonly kind: 'found';
      readonly secret: Secret;
      readonly kubeconfig: string | undefined;
      readonly refusal?: string | undefined;
    }
  | { readonly kind: 'missing' }
  /** The provider does not let us look. */
  | { readonly kind: 'denied'; readonly error: string }
  /** Not known now: nothing is mirrored and nothing is said. */
  | { readonly kind: 'unknown' };

export interface ConsumerSecret {
  readonly namespace: string;
  readonly name: string;
  /** The keys under which bindings look for the kubeconfig. */
  readonly keys: readonly string[];
  readonly reading:
    | {
        readonly kind: 'found';
        readonly secret: Secret;
        /** Keys with a kubeconfig that leads to another provider. */ readonly elsewhere?:
          readonly string[] | undefined;
      }
    | { readonly kind: 'missing' }
    | { readonly kind: 'unknown' };
}
