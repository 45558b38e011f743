import { type Dialect, hawserAnnotations, pairWords } from '@hawser/kube-bind';
import { apiGroup, apiVersion } from './group.js';
import { annotations, fieldManager, finalizers, labels } from './metadata.js';
import { fixedNames, serviceNamespaceName } from './names.js';
import { resources } from './resources.js';

/** `klutch.anynines.com/v1alpha1`: kube-bind before BoundSchemas, with its own names and marks. */
export const klutchDialect: Dialect = {
  name: 'klutch',
  apiGroup,
  apiVersion,
  resources,
  annotations,
  identityAnnotations: [annotations.identity],
  rootLabels: [labels.appClusterBindingName, labels.appClusterBindingNamespace],
  names: fixedNames,
  finalizer: finalizers.syncer,
  fieldManager,
  marks: {
    ofCopy: ({ clusterNamespace, consumerNamespace, consumerUID }) => ({
      [annotations.bound]: 'true',
      ...(consumerNamespace === '' ? { [annotations.clusterNamespace]: clusterNamespace } : {}),
      [hawserAnnotations.consumerUID]: consumerUID,
    }),
    isOfConsumer: ({ metadata: { annotations: found = {} } }, { clusterNamespace, consumerNamespace }) =>
      found[annotations.bound] === 'true' &&
      (consumerNamespace !== '' || found[annotations.clusterNamespace] === clusterNamespace),
    ofOwner: annotations.clusterNamespace,
    consumerUID: hawserAnnotations.consumerUID,
    consumerCluster: hawserAnnotations.consumerIdentity,
    uidIsOptional: true,
    ofMaker: annotations.bound,
    ofAnyCopy: [
      annotations.bound,
      annotations.clusterNamespace,
      hawserAnnotations.consumerUID,
      hawserAnnotations.consumerIdentity,
      hawserAnnotations.consumerObject,
    ],
    ofObject: { [annotations.bound]: 'true' },
  },
  words: pairWords,
  schema: 'Inline',
  serviceNamespaceName,
  isCopy: ({ metadata }) => metadata.annotations?.[annotations.bound] === 'true',
};
