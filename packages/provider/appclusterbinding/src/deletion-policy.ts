import type { AppClusterBinding } from '@hawser/klutch';
import { deletionPolicyAnnotation } from './marks.js';

/**
 * What deleting an AppClusterBinding does on the control plane:
 * - `Orphan`: its bindings, konnector and rights go; its root namespace and the namespaces of its instances stay.
 * - `Block`: it stays as it is while there are instances; then all of it goes.
 * - `Delete`: all of it goes, the instances too.
 */
export type DeletionPolicy = 'Orphan' | 'Block' | 'Delete';

/** The policy, and what its annotation says where that is not a policy. An unknown word counts as `Block`: of all policies it alone loses nothing. */
export function deletionPolicyOf({ metadata }: AppClusterBinding): {
  readonly policy: DeletionPolicy;
  readonly unknown?: string;
} {
  const value = metadata.annotations?.[deletionPolicyAnnotation] ?? '';
  switch (value) {
    case '':
    case 'Orphan':
      return { policy: 'Orphan' };
    case 'Block':
    case 'Delete':
      return { policy: value };
    default:
      return { policy: 'Block', unknown: value.slice(0, 64) };
  }
}
