import type { KubeObject } from '@hawser/client';
import { conditionsOf } from './conditions.js';

/** Health of any object, as generic wait tools compute it. */
export type Health = 'Terminating' | 'InProgress' | 'Failed' | 'Current';

/**
 * The generic rules of kstatus, in their order: deletionTimestamp, observedGeneration, `Reconciling`, `Stalled`,
 * `Ready`. An object with none of these is `Current`, even before a controller has seen it.
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
