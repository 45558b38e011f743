export { apiGroup, apiVersion, version } from './group.js';
export { resources } from './resources.js';
export {
  annotations,
  cleanupFinalizer,
  fixedNames,
  hawserAnnotations,
  hawserPrefix,
  labels,
  leaseName,
  relatedAnnotation,
  relatedAnnotationPrefix,
} from './metadata.js';
export { sha1Hex, sha1Short } from './hash/sha1.js';
export {
  identityAnnotations,
  identityLabels,
  identityOf,
  identitySelector,
  type RemoteIdentity,
} from './remote-identity.js';
export { stateKey, stateSecretLabels, stateSecretName, type StateSubject } from './state.js';
export { isReservedKey, stripMetadata } from './strip-metadata.js';
export { carriedPart, decodeSnapshot, encodeSnapshot } from './snapshot.js';
export { type RelatedResources, relatedResourcesOf } from './related-resources.js';
export {
  type CRDInstallError,
  type CRDInstallErrorCode,
  crdYAML,
  type InstallOutcome,
  type Problem,
} from '@hawser/crd';
export { crds, publishedResourceCRD } from './crd/crds.js';
export { installCRDs, type InstallOptions } from './crd/install.js';
export { keptStatus, keptStatusFields, type StatusField } from './crd/kept-status.js';
export { validate } from './validate.js';
export { type Finding, reviewSpec } from './review.js';
export { conditionTypes, getCondition, type NewCondition, removeCondition, setCondition } from './conditions.js';

export type { LabelSelector } from './kinds/label-selector.js';
export type { RegularExpression, TemplateExpression } from './kinds/expressions.js';
export type { ResourceMutation, ResourceMutationSpec } from './kinds/mutation.js';
export type { ResourceProjection } from './kinds/resource-projection.js';
export type {
  RelatedObject,
  RelatedObjectSpec,
  RelatedOrigin,
  RelatedProjection,
  RelatedReference,
  RelatedResource,
  RelatedRewrite,
  RelatedSelector,
  RelatedWatch,
} from './kinds/related-resource.js';
export type {
  PublishedResource,
  PublishedResourceSpec,
  ResourceFilter,
  ResourceNaming,
  SourceResource,
  Synchronization,
} from './kinds/published-resource.js';
export {
  type Condition,
  type ConditionStatus,
  type Counts,
  type LastError,
  type Phase,
  phases,
  type PublishedResourceStatus,
} from './kinds/status.js';
