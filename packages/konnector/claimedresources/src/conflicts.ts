import type { KubeObject } from '@hawser/client';
import type { ConflictPolicy } from '@hawser/konnector-sync';

/** By binding whose claims are served: what is done where an object of somebody else stands in the place of a copy, if not `Fail`. */
export type Conflicts = ReadonlyMap<string, ConflictPolicy>;

/** What counts for an object that these bindings claim: it is taken over only where each of them wants that, and told as long as one does. */
export function conflictPolicyOf(bindings: readonly string[], conflicts: Conflicts): ConflictPolicy {
  const policies = new Set(bindings.map((binding) => conflicts.get(binding) ?? 'Fail'));
  const [only] = policies;
  return policies.size === 1 && only !== undefined ? only : 'Fail';
}

/** Whether an object without marks may become a copy: nobody's but a person's, and on no way out. */
export function mayBeAdopted({ metadata: { ownerReferences = [], deletionTimestamp } }: KubeObject): boolean {
  return deletionTimestamp === undefined && !ownerReferences.some(({ controller }) => controller === true);
}
