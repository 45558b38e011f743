export { resources } from './resources.js';
export { annotations, claimedLabelPrefix, clusterNameOf, logicalClusterName, workspacePathOf } from './metadata.js';
export {
  approvalAnnotation,
  formatSchemaName,
  isLogicalClusterName,
  isProtectedGroup,
  parseSchemaName,
  type SchemaNameParts,
  schemaPrefixPattern,
  versionNamePattern,
} from './names.js';
export {
  type Condition,
  conditionTypes,
  getCondition,
  isConditionTrue,
  type WithConditions,
} from './kinds/condition.js';
export {
  type AcceptableClaim,
  type ClaimedResource,
  type ClaimSelector,
  type ClaimState,
  isSameClaim,
  needsIdentityHash,
  type PermissionClaim,
  type V1alpha1AcceptableClaim,
  type V1alpha1PermissionClaim,
} from './kinds/permission-claim.js';
export type {
  APIExport,
  APIExportStatus,
  ExportedResource,
  ExportStorage,
  V1alpha1APIExport,
} from './kinds/api-export.js';
export type { APIBinding, BoundResource, ExportReference, V1alpha1APIBinding } from './kinds/api-binding.js';
export type { APIResourceSchema, APIResourceSchemaSpec, APIResourceVersion } from './kinds/api-resource-schema.js';
export type { APIExportEndpointSlice, LogicalCluster, Workspace } from './kinds/workspaces.js';
export { ConversionError, type ConversionErrorCode } from './convert/conversion-error.js';
export { apiExportToV1alpha1, apiExportToV1alpha2, exportedResource } from './convert/api-export.js';
export { v1alpha1ClaimsAnnotation } from './convert/claims-annotation.js';
export {
  clusterPath,
  type VirtualWorkspace,
  virtualWorkspaceOf,
  wildcardPath,
  withWorkspace,
  workspaceOfURL,
  workspacePath,
  WorkspaceURLError,
} from './urls.js';
