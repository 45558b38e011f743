import type { KubeObject } from '@hawser/client';
import type { ClusterBinding, Dialect, Secret } from '@hawser/kube-bind';
import type { SlotName } from './slot-name.js';

/** What does not change during the life of the controller. */
export interface Settings {
  /** Whose consumers. */
  readonly dialect: Dialect;
  /** For how long a token is asked for; the API server may give less. */
  readonly tokenLifeMs: number;
  /** How long a replaced credential stays valid at least. */
  readonly overlapMs: number;
}

/** One cluster namespace and what is in it. A snapshot: nothing in it changes. */
export interface Observed {
  /** Only its metadata counts. */
  readonly namespace: KubeObject | undefined;
  readonly binding: ClusterBinding | undefined;
  /** Only its metadata counts. */
  readonly account: KubeObject | undefined;
  readonly slots: ReadonlyMap<SlotName, Secret>;
  /** The Secret that the ClusterBinding names. */
  readonly kubeconfig: Secret | undefined;
}
