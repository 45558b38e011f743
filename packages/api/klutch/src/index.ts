export { apiGroup, apiVersion, catalogueGroup, version } from './group.js';
export { resources } from './resources.js';
export { annotations, fieldManager, finalizers, labels } from './metadata.js';
export {
  appClusterBindingRequestName,
  binderClusterRoleName,
  clusterScopedName,
  fixedNames,
  konnectorClusterRoleName,
  rootNamespaceName,
  serviceNamespaceName,
} from './names.js';
export { malformation } from './malformation.js';
export { klutchDialect } from './dialect.js';
export { dialects, isClusterNamespace, isServiceNamespace } from './dialects.js';
export { type AppClusterSides, createAppClusterClient, withOwnKubeconfig } from './client/app-cluster-client.js';
export { clientSpeaking } from './client/client-speaking.js';
export { createKlutchClient } from './client/klutch-client.js';
export { acceptedClaims } from './client/views.js';
export { consumerCRDs, controlPlaneCRDs, installCRDs, type InstallOptions, providerCRDs } from './crds.js';
export {
  boundSchemaSpecOf,
  crdFromExport,
  exportHash,
  inlineSpecFromBoundSchema,
  inlineSpecFromCRD,
  inlineSpecOf,
} from './inline-crd.js';
export { claimFromKubeBind, claimToKubeBind, type TranslatedClaim } from './claims.js';
export type { PermissionClaim, ResourceOwner } from './kinds/shared.js';
export type {
  APIServiceExport,
  APIServiceExportSpec,
  APIServiceExportStatus,
  InlineCRDSpec,
} from './kinds/api-service-export.js';
export type { APIServiceExportRequest, APIServiceExportRequestStatus } from './kinds/api-service-export-request.js';
export type { APIServiceExportTemplate } from './kinds/api-service-export-template.js';
export type { AppClusterBinding } from './kinds/app-cluster-binding.js';
export type { APIServiceBinding, APIServiceNamespace, ClusterBinding } from './kinds/others.js';
