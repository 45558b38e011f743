import type { Resource } from '@hawser/client';
import { apiGroup, catalogueGroup, version } from './group.js';

const own = (resource: string): Resource => ({ group: apiGroup, version, resource });

/** The kinds of Klutch (spec/klutch.md §4). */
export const resources = {
  apiServiceBindings: own('apiservicebindings'),
  apiServiceExports: own('apiserviceexports'),
  apiServiceExportRequests: own('apiserviceexportrequests'),
  apiServiceNamespaces: own('apiservicenamespaces'),
  clusterBindings: own('clusterbindings'),
  appClusterBindings: own('appclusterbindings'),
  apiServiceExportTemplates: { group: catalogueGroup, version, resource: 'apiserviceexporttemplates' },
} as const satisfies Record<string, Resource>;
