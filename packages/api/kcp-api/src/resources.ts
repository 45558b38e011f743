import type { Resource } from '@hawser/client';

const apis = (version: string, resource: string): Resource => ({ group: 'apis.kcp.io', version, resource });
const core = (resource: string): Resource => ({ group: '', version: 'v1', resource });

/** Resources that an agent reads and writes in kcp, besides those it publishes. */
export const resources = {
  apiExports: apis('v1alpha2', 'apiexports'),
  apiExportsV1alpha1: apis('v1alpha1', 'apiexports'),
  apiBindings: apis('v1alpha2', 'apibindings'),
  apiBindingsV1alpha1: apis('v1alpha1', 'apibindings'),
  apiResourceSchemas: apis('v1alpha1', 'apiresourceschemas'),
  apiExportEndpointSlices: apis('v1alpha1', 'apiexportendpointslices'),
  logicalClusters: { group: 'core.kcp.io', version: 'v1alpha1', resource: 'logicalclusters' },
  workspaces: { group: 'tenancy.kcp.io', version: 'v1alpha1', resource: 'workspaces' },
  namespaces: core('namespaces'),
  secrets: core('secrets'),
  configMaps: core('configmaps'),
  events: core('events'),
} as const satisfies Record<string, Resource>;
