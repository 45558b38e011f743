import { objectField, stringField, withAt } from '../../object/json.js';
import { isDeleting, metaOf, withMeta } from '../../object/meta.js';
import { FOREGROUND, ORPHAN } from '../propagation.js';
import type { BeginDeletion, Propagation } from '../resource-type.js';
import { specFinalizers } from './strategies.js';

/** A deletion first marks a namespace; it goes once its contents are deleted and its `spec.finalizers` are empty. */
export const beginNamespaceDeletion: BeginDeletion = (namespace, { now, propagation }) => {
  if (isDeleting(namespace)) return specFinalizers(namespace).length > 0 ? { kind: 'pending' } : { kind: 'generic' };
  const marked = withMeta(namespace, {
    deletionTimestamp: now,
    finalizers: finalizersOf(metaOf(namespace).finalizers ?? [], propagation),
  });
  const phase = stringField(objectField(marked, 'status'), 'phase');
  return {
    kind: 'store',
    object: phase === 'Terminating' ? marked : withAt(marked, ['status', 'phase'], 'Terminating'),
  };
};

function finalizersOf(
  finalizers: readonly string[],
  { policy, orphanDependents }: Propagation,
): readonly string[] | undefined {
  const orphan = orphanDependents ?? (policy === undefined ? finalizers.includes(ORPHAN) : policy === 'Orphan');
  const foreground =
    orphanDependents === undefined
      ? policy === undefined
        ? finalizers.includes(FOREGROUND)
        : policy === 'Foreground'
      : !orphanDependents;
  const kept = finalizers.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  const all = [...kept, ...(orphan ? [ORPHAN] : []), ...(foreground ? [FOREGROUND] : [])];
  return all.length === 0 ? undefined : all;
}
