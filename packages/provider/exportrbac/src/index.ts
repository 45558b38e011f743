export { createExportRbac, type ExportRbac, type ExportRbacOptions } from './export-rbac.js';
export type { NamespaceRights, PendingNamespace } from './namespace-rights.js';
export {
  type AdmissionPolicy,
  type AdmissionPolicyBinding,
  allowDeletionAnnotation,
  consumerPolicyName,
  policyState,
  consumerPolicy,
  consumerPolicyBinding,
  namespacePolicy,
  namespacePolicyBinding,
  policyResources,
} from './admission-policy.js';
export { allowSchemaChangeAnnotation, approveSchemaVerb, schemaGuard, schemaGuardBinding } from './schema-guard.js';
export {
  providerPolicy,
  providerPolicyBinding,
  providerPolicyName,
  type ProviderPolicyOptions,
} from './provider-policy.js';
export { consumerBounds, consumerBoundsBinding, consumerBoundsName } from './consumer-bounds.js';
export { consumerRoles } from './consumer-roles.js';
export { type RoleObject } from './rbac-objects.js';
export { anyNameVerb, type Right, roleName } from './right.js';
export type { ClusterReads } from './observed.js';
export { type ConsumerView, type Viewed, consumerView } from './consumer-view.js';
export { answered } from './answered.js';
export type { ExportObject } from './export-object.js';
export { prefixes } from './rights-caches.js';
export { type Placed, type Reach, isReached } from './reach.js';
