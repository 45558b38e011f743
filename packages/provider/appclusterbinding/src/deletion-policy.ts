import type { AppClusterBinding } from '@hawser/klutch';
import { deletionPolicyAnnotation } from './marks.js';

/**
 * Effect of deleting an AppClusterBinding on the control plane:
 * - `Orphan`: deletes its bindings, konnector and rights; keeps its root namespace and the namespaces of its instances.
 * - `Block`: changes nothing while there are instances; then deletes everything.
 * - `Delete`: deletes everything, the instances too.
 */
export type DeletionPolicy = 'Orphan' | 'Block' | 'Delete';

/**
 * Reads the policy, and the annotation's value if that is invalid. An unknown word counts as `Block`, the only policy
 * that loses nothing.
 */
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
