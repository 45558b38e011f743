import type { RequestInfo } from './parts.js';

/** Groups of kube-apiserver that this server lacks or serves only in part. */
const GROUPS: readonly string[] = [
  'admissionregistration.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'discovery.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'internal.apiserver.k8s.io',
  'storagemigration.k8s.io',
];

const CORE: readonly string[] = [
  'bindings',
  'componentstatuses',
  'endpoints',
  'limitranges',
  'nodes',
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'replicationcontrollers',
  'resourcequotas',
  'services',
];

/**
 * Whether the real API server has this resource and this one lacks it: such a request gets an explicit error, any other
 * unknown one is not found.
 */
export function isUnimplemented({ isResourceRequest, apiGroup, resource }: RequestInfo): boolean {
  if (!isResourceRequest) return false;
  return apiGroup === '' ? CORE.includes(resource) : GROUPS.includes(apiGroup);
}
