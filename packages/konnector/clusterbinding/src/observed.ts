import type { ClusterBinding, Secret } from '@hawser/kube-bind';
import type { HeartbeatPlan } from './heartbeat.js';

/** Everything that decides about one connection, read at one moment. */
export interface Observed {
  readonly clusterBinding: ClusterBindingReading;
  readonly providerSecret: ProviderSecretReading;
  /** Consumer Secrets with the kubeconfig of this connection. */
  readonly consumerSecrets: readonly ConsumerSecret[];
  /** A release, or a build's version string. */
  readonly version: string;
  readonly heartbeat: HeartbeatPlan;
  readonly nowMs: number;
}

export type ClusterBindingReading =
  | { readonly kind: 'found'; readonly object: ClusterBinding }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly error: string };

export type ProviderSecretReading =
  /** `kubeconfig`: value under the ClusterBinding's key, base64; `refusal`: why it allows no connection. */
  | {
      readonly kind: 'found';
      readonly secret: Secret;
      readonly kubeconfig: string | undefined;
      readonly refusal?: string | undefined;
    }
  | { readonly kind: 'missing' }
  /** The provider refuses the read. */
  | { readonly kind: 'denied'; readonly error: string }
  /** Currently unknown: nothing is mirrored or reported. */
  | { readonly kind: 'unknown' };

export interface ConsumerSecret {
  readonly namespace: string;
  readonly name: string;
  /** Keys under which bindings expect the kubeconfig. */
  readonly keys: readonly string[];
  readonly reading:
    | {
        readonly kind: 'found';
        readonly secret: Secret;
        /** Keys with a kubeconfig that leads to another provider. */ readonly otherProviderKeys?:
          readonly string[] | undefined;
      }
    | { readonly kind: 'missing' }
    | { readonly kind: 'unknown' };
}
