import type { KubeObject } from '@hawser/client';
import { conditionsOf } from './conditions.js';

/** What tools conclude that wait for objects of any kind. */
export type Health = 'Terminating' | 'InProgress' | 'Failed' | 'Current';

/**
 * The rules of kstatus for kinds that it does not know, in their order: deletionTimestamp, observedGeneration, `Reconciling`, `Stalled`, `Ready`. An object that says none of these
 * is `Current`, also one that nobody has looked at.
 */
export function healthOf(object: KubeObject): Health {
  const { metadata, status } = object as KubeObject & { readonly status?: { readonly observedGeneration?: number } };
  const conditions = conditionsOf(object);
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (status?.observedGeneration !== undefined && status.observedGeneration !== metadata.generation)
    return 'InProgress';
  if (conditions['Reconciling']?.status === 'True') return 'InProgress';
  if (conditions['Stalled']?.status === 'True') return 'Failed';
  const ready = conditions['Ready'];
  return ready === undefined || ready.status === 'True' ? 'Current' : 'InProgress';
}
