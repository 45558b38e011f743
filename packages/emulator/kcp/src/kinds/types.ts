import { type GroupResource, type ResourceType, builtInTypes } from '@hawser/apiserver';
import { bindingConversion } from './convert-binding.js';
import { withConversion, withDefaultsOnRead } from './converted-type.js';
import { exportConversion } from './convert-export.js';
import { apiBindings, apiExportEndpointSlices, apiExports, apiResourceSchemas } from './apis.js';
import { typeOfKind } from './kind.js';
import { logicalClusters, workspaces } from './tenancy.js';

/**
 * Types of every logical cluster: Kubernetes' kinds that do not concern machines, and those of kcp. Any number of
 * servers may share them.
 */
export function kcpTypes(): readonly ResourceType[] {
  return [
    ...builtInTypes(),
    typeOfKind(apiResourceSchemas),
    withConversion(typeOfKind(apiExports), exportConversion),
    withConversion(typeOfKind(apiBindings), bindingConversion),
    typeOfKind(apiExportEndpointSlices),
    typeOfKind(logicalClusters),
    withDefaultsOnRead(typeOfKind(workspaces)),
  ];
}

export const SCHEMAS: GroupResource = { group: 'apis.kcp.io', resource: 'apiresourceschemas' };
export const EXPORTS: GroupResource = { group: 'apis.kcp.io', resource: 'apiexports' };
export const BINDINGS: GroupResource = { group: 'apis.kcp.io', resource: 'apibindings' };
export const SLICES: GroupResource = { group: 'apis.kcp.io', resource: 'apiexportendpointslices' };
export const LOGICAL_CLUSTERS: GroupResource = { group: 'core.kcp.io', resource: 'logicalclusters' };
export const WORKSPACES: GroupResource = { group: 'tenancy.kcp.io', resource: 'workspaces' };

/** Served resources that can be claimed without an identity (spec/api-syncagent.md §3.1). */
const CLAIMABLE: Readonly<Record<string, readonly string[]>> = {
  '': ['namespaces', 'configmaps', 'events', 'resourcequotas', 'secrets', 'serviceaccounts'],
  'rbac.authorization.k8s.io': ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'],
  'certificates.k8s.io': ['certificatesigningrequests'],
  'coordination.k8s.io': ['leases'],
  'admissionregistration.k8s.io': [
    'mutatingwebhookconfigurations',
    'validatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
  ],
  'events.k8s.io': ['events'],
  'apiextensions.k8s.io': ['customresourcedefinitions'],
  'core.kcp.io': ['logicalclusters'],
  'authorization.k8s.io': ['subjectaccessreviews', 'localsubjectaccessreviews'],
};

export function isClaimableBuiltIn({ group, resource }: GroupResource): boolean {
  return group === 'apis.kcp.io' || (CLAIMABLE[group] ?? []).includes(resource);
}
