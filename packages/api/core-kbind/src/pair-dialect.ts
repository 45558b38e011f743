import type { KubeObject } from '@hawser/client';
import { hawserAnnotations, type PairDialect } from '@hawser/kube-bind';
import { annotations, fieldManagers, finalizers, labels } from './metadata.js';

/** Whether a copy must outlive its object, as a person asked (spec/kbind-v2.md §17.4). Any other value is ignored. */
export function orphansCopy({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[annotations.deletionPolicy] === 'Orphan';
}

/**
 * Pairing rules of `core.kbind.io` (spec/kbind-v2.md §17.2, §17.3). Object and copy have the same name. Only fields of
 * the object reach its copy. The copy carries the uids of the consumer cluster and of its object.
 */
export const pairDialect: PairDialect = {
  finalizer: finalizers.syncer,
  fieldManager: fieldManagers.objects,
  marks: {
    ofCopy: ({ consumerUID }) => ({ [annotations.consumerObjectUID]: consumerUID }),
    // A copy with only one of the two marks has no known owner. Another check compares the cluster.
    isOfConsumer: ({ metadata: { annotations: found = {} } }) =>
      (found[annotations.consumerClusterUID] ?? '') !== '' && (found[annotations.consumerObjectUID] ?? '') !== '',
    ofOwner: annotations.consumerClusterUID,
    consumerUID: annotations.consumerObjectUID,
    consumerCluster: annotations.consumerClusterUID,
    uidIsOptional: false,
    ofMaker: annotations.consumerClusterUID,
    ofAnyCopy: [annotations.consumerClusterUID, annotations.consumerObjectUID, hawserAnnotations.consumerObject],
    ofObject: {},
    labelsOfCopy: { [labels.managed]: 'true' },
    conflict: annotations.conflict,
    orphansCopy,
  },
  words: {
    binding: 'ClusterBinding or Binding',
    conflicts: { unownedReason: 'ForeignObjectExists', ownedReason: 'OwnedByAnother' },
    adopt: (binding) => `kubectl patch ${binding} --type merge -p '{"spec":{"conflictPolicy":"Adopt"}}'`,
    accept: (binding, cluster) =>
      `kubectl annotate ${binding} --overwrite ${hawserAnnotations.formerConsumerIdentity}=${cluster}`,
  },
};
