import type { KubeObject } from '@hawser/client';
import { hawserAnnotations, type PairDialect } from '@hawser/kube-bind';
import { annotations, fieldManagers, finalizers, labels } from './metadata.js';

/** Whether a person wants the copy of an object to outlive it (spec/kbind-v2.md §17.4). Any other value says nothing. */
export function orphansCopy({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[annotations.deletionPolicy] === 'Orphan';
}

/**
 * What counts for an object and its copy in `core.kbind.io`: both have the same name, only the fields of an object reach its copy, and a copy is marked with the uid of the consumer cluster and
 * of its object (spec/kbind-v2.md §17.2, §17.3).
 */
export const pairDialect: PairDialect = {
  finalizer: finalizers.syncer,
  fieldManager: fieldManagers.objects,
  marks: {
    ofCopy: ({ consumerUID }) => ({ [annotations.consumerObjectUID]: consumerUID }),
    // One mark without the other is nobody's copy that we know. Which cluster is meant is looked at apart from that.
    isOfConsumer: ({ metadata: { annotations: found = {} } }) =>
      (found[annotations.consumerClusterUID] ?? '') !== '' && (found[annotations.consumerObjectUID] ?? '') !== '',
    ofOwner: annotations.consumerClusterUID,
    consumerUID: annotations.consumerObjectUID,
    consumerCluster: annotations.consumerClusterUID,
    uidIsOptional: false,
    ofMaker: annotations.consumerClusterUID,
    ofAnybody: [annotations.consumerClusterUID, annotations.consumerObjectUID, hawserAnnotations.consumerObject],
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
