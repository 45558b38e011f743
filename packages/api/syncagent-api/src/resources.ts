import type { Resource } from '@hawser/client';
import { customResourceDefinitions } from '@hawser/crd';
import { apiGroup, version } from './group.js';

const core = (resource: string): Resource => ({ group: '', version: 'v1', resource });

/** Resources that an agent reads and writes on the service cluster, besides the published ones. */
export const resources = {
  publishedResources: { group: apiGroup, version, resource: 'publishedresources' },
  customResourceDefinitions,
  secrets: core('secrets'),
  configMaps: core('configmaps'),
  namespaces: core('namespaces'),
  events: core('events'),
  leases: { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' },
} as const satisfies Record<string, Resource>;
