import type { Dialect } from '@hawser/kube-bind';
import { apiGroup, apiVersion } from './group.js';
import { annotations, fieldManager, finalizers } from './metadata.js';
import { fixedNames, serviceNamespaceName } from './names.js';
import { resources } from './resources.js';

/** `klutch.anynines.com/v1alpha1`: kube-bind as it was before BoundSchemas, with names and marks of its own. */
export const klutchDialect: Dialect = {
  name: 'klutch',
  apiGroup,
  apiVersion,
  resources,
  annotations,
  identityAnnotations: [annotations.identity],
  names: fixedNames,
  finalizer: finalizers.syncer,
  fieldManager,
  schema: 'Inline',
  serviceNamespaceName,
  isCopy: ({ metadata }) => metadata.annotations?.[annotations.bound] === 'true',
};
