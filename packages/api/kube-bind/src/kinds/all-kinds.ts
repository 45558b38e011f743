import { apiConversionKind } from './api-conversion.js';
import { apiServiceBindingBundleKind } from './api-service-binding-bundle.js';
import { apiServiceBindingKind } from './api-service-binding.js';
import { apiServiceExportKind } from './api-service-export.js';
import { apiServiceExportRequestKind } from './api-service-export-request.js';
import { apiServiceExportTemplateKind } from './api-service-export-template.js';
import { apiServiceNamespaceKind } from './api-service-namespace.js';
import { bindableResourcesRequestKind } from './bindable-resources-request.js';
import { boundSchemaKind } from './bound-schema.js';
import { clusterBindingKind } from './cluster-binding.js';
import { clusterKind } from './cluster.js';
import { collectionKind } from './collection.js';
import type { KindDefinition } from './kind.js';

/** Every kind of the group that has a CRD. */
export const allKinds = {
  APIConversion: apiConversionKind,
  APIServiceBinding: apiServiceBindingKind,
  APIServiceBindingBundle: apiServiceBindingBundleKind,
  APIServiceExport: apiServiceExportKind,
  APIServiceExportRequest: apiServiceExportRequestKind,
  APIServiceExportTemplate: apiServiceExportTemplateKind,
  APIServiceNamespace: apiServiceNamespaceKind,
  BindableResourcesRequest: bindableResourcesRequestKind,
  BoundSchema: boundSchemaKind,
  Cluster: clusterKind,
  ClusterBinding: clusterBindingKind,
  Collection: collectionKind,
} as const satisfies Record<string, KindDefinition>;

/** The name of a kind. */
export type Kind = keyof typeof allKinds;
