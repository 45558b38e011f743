import { contactOf } from '@hawser/consumer-states';
import type { ClusterBinding } from '@hawser/kube-bind';

/** Whether the konnector reports, by the provider's judgement. */
export function isAlive(clusterBinding: ClusterBinding | undefined, nowMs: number): boolean {
  return contactOf(clusterBinding?.status, nowMs) === 'alive';
}
