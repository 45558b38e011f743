export { apiGroup, apiVersion, version } from './group.js';
export { resources } from './resources.js';
export {
  annotations,
  fieldManager,
  finalizers,
  hawserAnnotations,
  hawserPrefix,
  labels,
  type Owner,
  owners,
} from './metadata.js';
export {
  apiServiceNamespaceKey,
  appliedKubeconfigSecretName,
  bindingResponseSecretName,
  claimableResources,
  claimsClusterRoleName,
  claimsRoleName,
  clusterNamespaceName,
  clusterScopedPrefix,
  consumerIdentityOf,
  crdName,
  exportClusterRoleName,
  fixedNames,
  groupResourceString,
  isClaimable,
  groupResourceOf,
  resourceGroupName,
  serviceNamespaceName,
} from './names.js';
export { identityHash } from './hash/identity-hash.js';
export { encodeBoundSchemaSpec, exportHash, schemaHash } from './hash/schema-hash.js';
export { v1alpha1Hash } from './hash/v1alpha1-hash.js';
export { ConversionError } from './convert/conversion-error.js';
export { boundSchemaFromCRD, type BoundSchemaOptions, boundSchemaSpecFromCRD } from './convert/crd-to-bound-schema.js';
export { crdFromBoundSchema } from './convert/bound-schema-to-crd.js';
export { bindingOwners, isOwnedByBinding, providerOwnedNamespace } from './convert/ownership.js';
export { servedResource, type ServedSpec, servedVersion, storedResource } from './convert/served-resource.js';
export { crdFromV1alpha1Export, v1alpha1ExportFromCRD } from './convert/v1alpha1.js';
export {
  awaitsRecord,
  holdsObjects,
  releasedBecause,
  type UnbindMetadata,
  unbindingUnder,
  type UnbindPolicy,
  unbindPolicyOf,
} from './unbind-policy.js';
export {
  controllerName,
  type CopyOwner,
  type Dialect,
  isClusterNamespaceOf,
  kubeBindDialect,
  type PairDialect,
  type PairMarks,
  type PairWords,
  pairWords,
} from './dialect.js';
export {
  type ClaimConsent,
  type ConsentBy,
  type ConsentRecord,
  claimId,
  claimInWords,
  consentRecordOf,
  consentText,
} from './claim-consent.js';
export { type CredentialAnnotation, credentialWord } from './credential-word.js';
export {
  isWithdrawn,
  isWithdrawnByNamespace,
  type Withdrawal,
  type WithdrawnObjectsPolicy,
  withdrawnObjectsPolicyOf,
} from './withdrawal.js';
export { commitStatus, type CommitStatusOptions, type StatusOf } from '@hawser/client';
export type { Kind } from './kinds/all-kinds.js';
export { consumerCRDs, crdOf, crds, providerCRDs } from './crd/crds.js';
export { CRDInstallError, type CRDInstallErrorCode, crdYAML, type InstallOutcome, type Problem } from '@hawser/crd';
export { installCRDs, type InstallOptions } from './crd/install.js';
export { validate, validateUpdate } from './validate.js';
export { malformation, specProblem, unreadableView } from './malformation.js';
export { formatTime, type Instant, parseTime } from './time.js';
export { formatDuration, parseDuration } from './duration.js';
export { konnectorVersion, VersionError } from './konnector-version.js';
export { bindingOwnerReference, bundleOwnerReference, exportOwnerReference } from './owner-reference.js';
export * from './conditions/index.js';
export type * from './http-payloads.js';

export type { Condition, ConditionSeverity, ConditionStatus } from './kinds/condition.js';
export {
  type ClaimSelector,
  type ClusterSecretKeyRef,
  type ExportedResource,
  type GroupResource,
  type InformerScope,
  type Isolation,
  type LabelSelector,
  type LocalSecretKeyRef,
  type LocalSecretRef,
  type PermissionClaim,
  type RequestPhase,
  type SchemaUpdatePolicy,
  type SelectorReference,
} from './kinds/shared.js';
export type { APIServiceBinding, APIServiceBindingSpec, APIServiceBindingStatus } from './kinds/api-service-binding.js';
export type {
  APIServiceBindingBundle,
  APIServiceBindingBundleSpec,
  APIServiceBindingBundleStatus,
} from './kinds/api-service-binding-bundle.js';
export type {
  APIServiceExport,
  APIServiceExportSpec,
  APIServiceExportStatus,
  V1alpha1APIServiceExport,
  V1alpha1APIServiceExportCRDSpec,
  V1alpha1APIServiceExportSpec,
} from './kinds/api-service-export.js';
export type {
  APIServiceExportRequest,
  APIServiceExportRequestSpec,
  APIServiceExportRequestStatus,
} from './kinds/api-service-export-request.js';
export type { APIServiceExportTemplate, APIServiceExportTemplateSpec } from './kinds/api-service-export-template.js';
export type { APIServiceNamespace, APIServiceNamespaceStatus } from './kinds/api-service-namespace.js';
export type {
  BoundSchema,
  BoundSchemaConversion,
  BoundSchemaSpec,
  BoundSchemaStatus,
  BoundSchemaVersion,
} from './kinds/bound-schema.js';
export type { ClusterBinding, ClusterBindingSpec, ClusterBindingStatus } from './kinds/cluster-binding.js';
export type { Cluster } from './kinds/cluster.js';
export type { Collection, CollectionSpec } from './kinds/collection.js';
export type {
  BindableResourcesRequest,
  BindableResourcesRequestSpec,
  BindableResourcesRequestStatus,
  StandardCondition,
} from './kinds/bindable-resources-request.js';
export type {
  CRDCondition,
  CRDConversion,
  CRDNames,
  CRDPrinterColumn,
  CRDSpec,
  CRDStatus,
  CRDSubresources,
  CRDVersion,
  CustomResourceDefinition,
  ResourceScope,
} from '@hawser/crd';
export type { Namespace, Secret } from './kinds/core.js';
export { requestSpecOf } from './request-spec.js';
export { approvalWords, approvedTemplates, grantedTemplates, wantsApproval } from './approval.js';
export {
  aggregateToKonnector,
  type BoundRole,
  boundRole,
  boundRoleName,
  boundRules,
  claimedRules,
  copyVerbs,
  type RoleRule,
} from './konnector-rights.js';
export { isProtectedGroup, isReservedGroup } from './protected-groups.js';
