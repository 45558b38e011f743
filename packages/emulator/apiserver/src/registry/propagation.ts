import type { ResourceType, Propagation } from './resource-type.js';

export const ORPHAN = 'orphan';
export const FOREGROUND = 'foregroundDeletion';

/**
 * Finalizers of an object after its deletion. Those for the garbage collector follow the request, the existing
 * finalizers and the type's default, in this order (generic registry `deletionFinalizersForGarbageCollection`).
 */
export function finalizersOnDeletion(
  type: ResourceType,
  finalizers: readonly string[],
  propagation: Propagation,
): readonly string[] {
  const wanted = finalizers.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  if (type.garbageCollection !== 'unsupported') {
    if (orphans(type, finalizers, propagation)) wanted.push(ORPHAN);
    if (waitsForDependents(finalizers, propagation)) wanted.push(FOREGROUND);
  }
  const same =
    wanted.length === new Set(finalizers).size && wanted.every((finalizer) => finalizers.includes(finalizer));
  return same ? finalizers : wanted;
}

function orphans(
  type: ResourceType,
  finalizers: readonly string[],
  { policy, orphanDependents }: Propagation,
): boolean {
  if (orphanDependents !== undefined) return orphanDependents;
  if (policy !== undefined) return policy === 'Orphan';
  const existing = finalizers.find((finalizer) => finalizer === ORPHAN || finalizer === FOREGROUND);
  return existing === undefined ? type.garbageCollection === 'orphan' : existing === ORPHAN;
}

function waitsForDependents(finalizers: readonly string[], { policy, orphanDependents }: Propagation): boolean {
  if (orphanDependents !== undefined) return false;
  if (policy !== undefined) return policy === 'Foreground';
  return finalizers.find((finalizer) => finalizer === ORPHAN || finalizer === FOREGROUND) === FOREGROUND;
}
