import type { KubeObject } from '@hawser/client';
import type { ClusterBinding, Dialect, Secret } from '@hawser/kube-bind';
import type { SlotName } from './slot-name.js';

/** Constants of the controller. */
export interface Settings {
  /** Dialect of the consumers. */
  readonly dialect: Dialect;
  /** Requested life of a token; the API server may grant less. */
  readonly tokenLifeMs: number;
  /** Minimum time that a replaced credential stays valid. */
  readonly overlapMs: number;
}

/** One cluster namespace and its content. An immutable snapshot. */
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
